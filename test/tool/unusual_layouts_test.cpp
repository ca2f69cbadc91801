// Layouts that a user may write and nobody shipped: properties in unusual forms, or a little too weak. Each
// must give right results by the template that its properties allow, and a request for more must be refused
// with a counterexample.
#include "tool.h"

#include "odd_layouts.h"
#include "tensor/layout_text.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

const std::string none = "none";

/// A layout of one operand, with what its properties allow.
struct Unusual {
  std::string layout; // in test/layouts/unusual.layout
  std::string method; // that is chosen (before a map, a walk is proved too); `none`: none that needs an order
  std::string refusal; // of binary search: a part of the message; empty: it is accepted
  std::string input = "random:30x40,density=0.3,seed=2";
};

const std::vector<Unusual> vectors = {
    {"sv_contraposed", "map", ""},
    {"sv_neighbours", "map", ""},
    {"sv_neighbours_down", "binary", ""},
    {"sv_gaps", "map", ""},
    {"sv_late", none,
     "x.idx = [1, 0, 1], looking for 1: it is at positions 0 and 2 but not at 1 between them"},
    {"sv_tail", none,
     "x.idx = [0, 1, 0], looking for 0: it is at positions 0 and 2 but not at 1 between them"},
    {"sv_pairs", none,
     "x.idx = [0, 1, 0], looking for 0: it is at positions 0 and 2 but not at 1 between them"},
};

const std::vector<Unusual> matrices = {
    {"csr_neighbours", "map", ""},
    {"coo_neighbours", "sequential", ""},
    {"csr_tail", none,
     "B.col = [0, 1, 0], looking for 0: it is at positions 0 and 2 but not at 1 between them"},
    {"csr_two_rows", none, "O-contig: ", "rows.mtx"},
};

bool needs_order(const std::string &method) {
  return method == "sequential" || method == "galloping" || method == "binary";
}

/// Runs and compares with the reference: the template of the find of `variable`.
std::string template_of(const Desk &desk, const Arguments &arguments, const std::string &variable) {
  Arguments all = arguments;
  all.insert(all.end(), {"--check", "--json"});
  Outcome outcome = desk.unravel(all);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.error;
  if (outcome.code != 0) return "";
  json facts = outcome.json();
  EXPECT_EQ(facts.at("check").at("ok"), true);
  for (const json &find : facts.at("finds"))
    if (find.at("variable") == variable) return find.at("template");
  return "";
}

/// The chosen method; binary search, accepted or refused; and that `explain` says why.
void expect_as_said(const Desk &desk, const Unusual &each, const Arguments &kernel, const Arguments &data,
                    const std::string &tensor) {
  SCOPED_TRACE(each.layout);
  Arguments run{"run"};
  run.insert(run.end(), kernel.begin(), kernel.end());
  run.insert(run.end(), data.begin(), data.end());
  std::string method = template_of(desk, run, tensor + ".p");
  if (each.method == none)
    EXPECT_FALSE(needs_order(method)) << method;
  else
    EXPECT_EQ(method, each.method);
  Arguments scan = run, binary = run;
  scan.insert(scan.end(), {"--find", tensor + ".p=scan"});
  EXPECT_EQ(template_of(desk, scan, tensor + ".p"), "scan");
  if (each.method == "map") {
    Arguments walk = run;
    walk.insert(walk.end(), {"--find", tensor + "=seq"});
    EXPECT_EQ(template_of(desk, walk, tensor + ".p"), "sequential");
  }
  binary.insert(binary.end(), {"--find", tensor + "=binary"});
  if (each.refusal.empty()) {
    EXPECT_EQ(template_of(desk, binary, tensor + ".p"), "binary");
    return;
  }
  binary.push_back("--json");
  Outcome refused = desk.unravel(binary);
  EXPECT_EQ(refused.code, 1);
  json error = refused.json().at("error");
  EXPECT_EQ(error.at("kind"), "find-not-proved");
  EXPECT_EQ(error.at("file"), "--find");
  EXPECT_EQ(error.at("line"), 1);
  EXPECT_EQ(error.at("column"), tensor.size() + 2); // of the method in x=binary
  EXPECT_NE(error.at("message").get<std::string>().find(each.refusal), std::string::npos) << error;

  Arguments explain{"explain", "--json"};
  explain.insert(explain.end(), kernel.begin(), kernel.end());
  for (const json &find : desk.unravel(explain).json().at("finds")) {
    if (find.at("variable") != tensor + ".p") continue;
    const json &candidates = find.at("candidates");
    auto why = std::find_if(candidates.begin(), candidates.end(),
                            [](const json &candidate) { return candidate.at("template") == "binary"; });
    ASSERT_NE(why, candidates.end());
    EXPECT_EQ(why->at("proved"), false);
    EXPECT_NE(why->at("reason").get<std::string>().find(each.refusal), std::string::npos) << *why;
  }
}

TEST(UnusualLayouts, Vectors) {
  Desk desk;
  for (const Unusual &each : vectors)
    expect_as_said(desk, each,
                   {spmv, "-f", "A=csr", "-f",
                    "x=" + unravel::test::layout_reference("@unusual/" + each.layout), "-s",
                    "order i, A.p, x.p"},
                   {"-i", "A=random:30x40,density=0.2,seed=1", "-i", "x=random,density=0.3,seed=2"}, "x");
}

/// Rows 0 and 1 lie before each other in the order of columns, as rows 2 and 3.
const std::string two_rows = "%%MatrixMarket matrix coordinate real general\n4 8 8\n"
                             "1 2 1\n1 3 2\n2 4 3\n2 8 4\n3 1 5\n3 5 6\n4 6 7\n4 7 8\n";

TEST(UnusualLayouts, Matrices) {
  Desk desk;
  desk.write("rows.mtx", two_rows);
  for (const Unusual &each : matrices) {
    bool by_rows = each.layout.substr(0, 3) == "csr";
    expect_as_said(desk, each,
                   {"s = A(i,j) * B(i,j)", "-f", "A=csr", "-f",
                    "B=" + unravel::test::layout_reference("@unusual/" + each.layout), "-s",
                    by_rows ? "order i, A.p, B.r, B.p" : "order i, A.p, B.p"},
                   {"-i", each.input == "rows.mtx" ? "A=rows.mtx" : "A=random:30x40,density=0.2,seed=1", "-i",
                    "B=" + each.input},
                   "B");
  }
}

/// Where positions are computed of a coordinate, sums in a local tensor need its loop.
TEST(UnusualLayouts, RowsDealtInTurn) {
  Desk desk;
  desk.write(
      "dealt.layout",
      "layout dealt(i: M, j: N) {\n"
      "  value val[4, ceil(M / 4), N];\n"
      "  stored { [c, b, n] -> [i, j] : 0 <= c < 4 and 0 <= b < ceil(M / 4) and i = 4*b + c and i < M\n"
      "           and j = n and 0 <= n < N } at val(c, b, n);\n"
      "}\n");
  const Outcome outcome =
      desk.unravel({"run", "y = T(i,j) * D(i)", "-f", "T=dealt.layout", "-s", "order j, i", "-i",
                    "T=integers:13x7,most=3", "-i", "D=ones", "--check"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

/// Blocks of f32 in a kernel of f64: what takes two values at once must not take them for f64.
TEST(UnusualLayouts, ValuesOfAnotherType) {
  Desk desk;
  auto replaced = [](std::string text, const std::string &what, const std::string &by) {
    return text.replace(text.find(what), what.size(), by);
  };
  desk.write("single.layout", replaced(replaced(tensor::bcsr_text, "layout bcsr<", "layout single<"),
                                       "val[NB, R, C];", "val[NB, R, C] : f32;"));
  for (const char *layout : {"single<4,4>", "single<2,6>", "single<3,3>"}) {
    Outcome outcome = desk.unravel({"run", spmv, "-f", std::string("A=./single.layout:") + layout, "-i",
                                    "A=poisson2d:9x9", "-i", "x=ones", "--check"});
    EXPECT_EQ(outcome.code, 0) << layout << outcome.out << outcome.error;
  }
}

/// Segments that two arrays bound, slots of which an array says how many are used: packed, and right.
TEST(UnusualLayouts, BoundSegments) {
  Desk desk;
  for (const char *name : {"csr4_one", "csc_lengths", "bcsr4<2,3>", "dcsr4", "bands", "ellr_rows",
                           "bellr<2,3>", "listed_slots", "sell_lengths<2>"}) {
    std::string layout = unravel::test::layout_reference(std::string("@segments/") + name);
    Outcome outcome =
        desk.unravel({"run", spmv, "-f", "A=" + layout, "-i", "A=random:20x20,density=0.2,seed=1", "-i",
                      "x=random,seed=2", "--check", "--json"});
    EXPECT_EQ(outcome.code, 0) << name << outcome.out << outcome.error;
    if (outcome.code != 0) continue;
    EXPECT_EQ(outcome.json().at("check").at("ok"), true) << name;
  }
}

/// Packing isn't derived for a key at a shifted place: the arrays come from a folder.
TEST(UnusualLayouts, ShiftedArray) {
  Desk desk;
  std::string layout = unravel::test::layout_reference("@unusual/sv_shifted");
  desk.write("x/layout.json", R"({"layout": ")" + layout +
                                  R"(", "parameters": [], "sizes": {"M": 40}, "counts": {"NNZ": 4}})");
  desk.write("x/idx.npy", npy("<i4", std::vector<std::int32_t>{17, 2, 3, 20, 39}));
  desk.write("x/val.npy", npy("<f8", std::vector<double>{1, 2, 3, 4}));
  Unusual shifted{"sv_shifted", "map", ""};
  expect_as_said(desk, shifted, {spmv, "-f", "A=csr", "-f", "x=" + layout, "-s", "order i, A.p, x.p"},
                 {"-i", "A=random:30x40,density=0.2,seed=1", "-i", "x=x"}, "x");
}

/// Without the shipped property, by one word of the user's file.
TEST(UnusualLayouts, AFileThatIsTooWeak) {
  Desk desk;
  std::string text = shipped_layout("sv"), line = "  property strictly increasing idx;\n";
  std::size_t at = text.find(line);
  ASSERT_NE(at, std::string::npos);
  desk.write("weak.layout", text.replace(at, line.size(), "  property injective idx;\n"));
  Arguments arguments{"run",    spmv,
                      "-f",     "A=csr",
                      "-f",     "x=./weak.layout",
                      "-i",     "A=random:30x40,density=0.2",
                      "-i",     "x=random,density=0.3",
                      "-s",     "order i, A.p, x.p",
                      "--check"};
  EXPECT_EQ(desk.unravel(arguments).code, 0);
  arguments.insert(arguments.end(), {"--find", "x=binary"});
  Outcome refused = desk.unravel(arguments);
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(
      refused.error,
      "--find:1:3: error: `x.p` can't be found by binary: O-stop not proved for any skip condition; a "
      "counterexample to O-stop(up, >): x.idx = [1, 0], looking for 0 after 1: a search upwards stops at "
      "position 0 and misses position 1 [find-not-proved]\n"
      "  1 | x=binary\n"
      "    |   ^~~~~~\n"
      "  hint: O-stop asks that where a search stops without a match, no match follows; leave the method "
      "to the compiler, or state `property increasing idx` in the layout of `x`\n");
  arguments[0] = "explain";
  arguments.erase(std::find(arguments.begin(), arguments.end(), "-i"),
                  std::find(arguments.begin(), arguments.end(), "-s"));
  std::erase(arguments, "--check");
  EXPECT_EQ(desk.unravel(arguments).error, refused.error);
}

} // namespace
} // namespace unravel::tool::test
