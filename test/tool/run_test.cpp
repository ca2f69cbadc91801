// What `run` does on data: results that agree with the reference in every layout, empty matrices, folders of
// arrays, a user's own layout files.
#include "tool.h"

#include <cmath>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>

namespace unravel::tool::test {
namespace {

const std::vector<std::string> matrix_layouts = {"dense", "dense<1,0>", "csr",          "csc",
                                                 "dcsr",  "coo",        "coo_unsorted", "coo_dup"};

/// Runs with --check and --json; the result must agree with the reference.
nlohmann::json expect_right(const Desk &desk, std::vector<std::string> arguments) {
  std::string shown;
  for (const std::string &argument : arguments)
    shown += argument + " ";
  SCOPED_TRACE(shown);
  arguments.insert(arguments.end(), {"--check", "--json"});
  Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.error;
  EXPECT_EQ(outcome.error, "");
  if (outcome.code != 0) return {};
  EXPECT_TRUE(outcome.json().at("check").at("ok"));
  return outcome.json();
}

TEST(ToolRun, NamesScalars) {
  const Outcome outcome = Desk().unravel({"run", "s = a * x(i)", "-i", "a=2", "-i", "x=ones:3"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("\na     a scalar\n"), std::string::npos) << outcome.out;
}

TEST(ToolRun, EveryLayoutAndEmptyMatrices) {
  Desk desk;
  desk.write("none.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
  desk.write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 0\n");
  desk.write("row.mtx", "%%MatrixMarket matrix coordinate real general\n1 4 2\n1 4 2\n1 1 3\n");
  desk.write("column.mtx", "%%MatrixMarket matrix coordinate real general\n4 1 1\n3 1 2\n");
  for (const std::string &layout : matrix_layouts)
    for (const std::string matrix :
         {"none.mtx", "empty.mtx", "row.mtx", "column.mtx", "random:7x5,density=0.4"})
      expect_right(desk, {"run", spmv, "-f", "A=" + layout, "-i", "A=" + matrix, "-i", "x=random"});
}

TEST(ToolRun, ResultsOnAFile) {
  Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n2 3 4\n1 2 -1\n");
  desk.write("x.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n10\n100\n");
  for (const std::string &layout : matrix_layouts) {
    nlohmann::json facts = expect_right(
        desk, {"run", spmv, "-f", "A=" + layout, "-i", "A=a.mtx", "-i", "x=x.mtx", "-o", "y=y.mtx"});
    EXPECT_EQ(desk.read("y.mtx"), "%%MatrixMarket matrix array real general\n2 1\n-8\n400\n") << layout;
  }
  // Compressed and as a tensor file; accumulating into what was there.
  expect_right(desk, {"run", "y(i) += A(i,j) * x(j)", "-f", "A=csr", "-i", "A=a.mtx", "-i", "x=x.mtx", "-i",
                      "y=y.mtx", "-o", "y=z.mtx.gz"});
  expect_right(desk, {"run", "w(i) = 0.5 * z(i)", "-i", "z=z.mtx.gz", "-o", "w=w.tns"});
  EXPECT_EQ(desk.read("w.tns"), "# shape: 2\n1 -8\n2 400\n");
}

/// A stored 0 times an infinity is NaN: where the layout stores zeros that the file doesn't have, too.
TEST(ToolRun, SaysWhatTheResultIs) {
  Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 3\n2 3 4\n1 2 -1\n");
  Outcome ran = desk.unravel({"run", "s = A(i,j)", "-f", "A=csr", "-i", "A=a.mtx"});
  EXPECT_NE(ran.out.find("\ns = 6\n"), std::string::npos) << ran.out;
  ran = desk.unravel({"run", "C(j,i) = A(i,j)", "-f", "A=csr", "-f", "C=csr", "-i", "A=a.mtx"});
  EXPECT_NE(ran.out.find("\nC     3 x 2 with 3 entries, norm 5.09902: C(0,0) = 3, C(1,0) = -1, C(2,1) = 4\n"),
            std::string::npos)
      << ran.out;
  ran = desk.unravel({"run", "y(k) = 2 * x(k)", "-i", "x=ones:100"});
  EXPECT_NE(ran.out.find("y     100 with 100 entries, norm 20: y(0) = 2, y(1) = 2, y(2) = 2, y(3) = 2, "
                         "y(4) = 2, ...\n"),
            std::string::npos)
      << ran.out;
  ran = desk.unravel({"run", "y(k) = 2 * x(k)", "-i", "x=ones:0"});
  EXPECT_NE(ran.out.find("y     0 with 0 entries, norm 0\n"), std::string::npos) << ran.out;
  const nlohmann::json facts =
      expect_right(desk, {"run", "y(i) = A(i,j)", "-f", "A=csr", "-i", "A=a.mtx"}).at("result");
  EXPECT_DOUBLE_EQ(facts.at("norm").get<double>(), std::sqrt(20.0));
  EXPECT_EQ(facts.at("first").at(1).at("coordinate"), nlohmann::json({1}));
  EXPECT_EQ(facts.at("first").at(1).at("value"), 4);
}

TEST(ToolRun, AWorkspaceReducesAsTheLineDoes) {
  const Desk desk;
  for (const std::string line : {"C(i,j) = A(i,k) * B(k,j) in min.+",
                                 "C(i,j) = A(i,k) * B(k,j) * d(j) in min.+", "C(i,j) max= A(i,k) * B(k,j)",
                                 "C(i,j) min= A(i,k) * B(k,j) in min.max", "C(i,j) *= A(i,k) * B(k,j)"}) {
    // of whole numbers: no order of the factors rounds them
    std::vector<std::string> arguments{
        "run", line, "-i", "A=integers:3x2,density=1,most=9", "-i", "B=integers:2x4,density=1,most=9,seed=7"};
    if (line.find('d') != std::string::npos)
      arguments.insert(arguments.end(), {"-i", "d=integers:4,density=1,most=9"});
    const nlohmann::json plain = expect_right(desk, arguments).at("result");
    arguments.insert(arguments.end(), {"-s", "workspace w(j) for A(i,k) * B(k,j)"});
    EXPECT_EQ(expect_right(desk, arguments).at("result"), plain) << line;
  }
}

/// Of integers, each quotient is rounded by itself.
TEST(ToolRun, QuotientsOfProgramsAreThoseOfLines) {
  const Desk desk;
  for (const std::string line : {"y(i) = x(i)/z + w(i)/z", "y(i) += (x(i) - 2*w(i) + 5)/z"}) {
    const auto result_of = [&](const std::string &text) {
      return expect_right(desk, {"run", text, "--type", "int32", "-i", "x=integers:9,density=1,most=9", "-i",
                                 "w=integers:9,density=1,most=9,seed=3", "-i", "z=3", "-f", "x=sv"})
          .at("result");
    };
    EXPECT_EQ(result_of("for i { " + line + "; }"), result_of(line)) << line;
  }
}

TEST(ToolRun, InfinitiesAndStoredZeros) {
  Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 1\n2 1 2\n3 1 1\n");
  desk.write("x.mtx", "%%MatrixMarket matrix array real general\n3 1\ninf\n1\n3\n");
  for (const auto &[layout, first] : std::map<std::string, std::string>{{"csr", "1"},
                                                                        {"dense", "nan"},
                                                                        {"bcsr<2,2>", "nan"},
                                                                        {"banded", "nan"},
                                                                        {"dia", "1"},
                                                                        {"ell", "1"}}) {
    expect_right(desk, {"run", spmv, "-f", "A=" + layout, "-i", "A=a.mtx", "-i", "x=x.mtx", "-o", "y=y.mtx"});
    EXPECT_TRUE(desk.read("y.mtx").ends_with(first + "\ninf\ninf\n")) << layout;
  }
}

TEST(ToolRun, ResultsWithAnOperandsStructure) {
  Desk desk;
  desk.write("s.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n2 3 4\n1 2 -1\n");
  const std::string scaled = "D(i,j) = S(i,j) * x(j)";
  desk.write("x.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n10\n100\n");
  nlohmann::json facts = expect_right(desk, {"run", scaled, "-f", "S=csr", "-f", "D=like:S", "-i", "S=s.mtx",
                                             "-i", "x=x.mtx", "-o", "D=d.mtx"});
  EXPECT_EQ(facts.at("result").at("entries"), 3);
  EXPECT_EQ(desk.read("d.mtx"),
            "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n1 2 -10\n2 3 400\n");
  // The folder has S's arrays, and can be read as such.
  expect_right(desk, {"run", scaled, "-f", "S=csr", "-f", "D=like:S", "-i", "S=s.mtx", "-i", "x=x.mtx", "-o",
                      "D=folder"});
  expect_right(desk, {"run", "t = A(i,j) * B(i,j)", "-i", "A=folder", "-f", "B=csr", "-i", "B=d.mtx"});
  // Far too many coordinates for a dense result.
  expect_right(desk, {"run",          "D(i,j) = S(i,j) * A(i,k) * B(j,k)",
                      "-f",           "S=coo",
                      "-f",           "D=like:S",
                      "-f",           "A=dcsr",
                      "-f",           "B=dcsr",
                      "-i",           "S=random:2000000000x2000000000,entries=50",
                      "-i",           "A=random:2000000000x5,entries=50",
                      "-i",           "B=random:2000000000x5,entries=50",
                      "--index",      "int64",
                      "--max-memory", "1M"});
  expect_right(desk, {"run", "D(i,j,r) = A(i,j,k) * U(k,r)", "-f", "A=csf3", "-f", "D=like:A", "-i",
                      "A=random:9x8x7,density=0.1", "-i", "U=random:7x4", "-o", "D=d.tns"});
  Outcome given = desk.unravel({"run", "D(i,j) += S(i,j) * x(j)", "-f", "S=csr", "-f", "D=like:S", "-i",
                                "S=s.mtx", "-i", "x=x.mtx", "-i", "D=d.mtx"});
  EXPECT_EQ(given.code, 1);
  EXPECT_NE(given.error.find("a result with the structure of S has no values before [sparse-result]"),
            std::string::npos)
      << given.error;
}

/// Modes that the result doesn't have, of layouts whose extents follow from nothing but the relation's
/// bounds.
TEST(ToolRun, ResultsWithSomeModesOfAStructure) {
  Desk desk;
  for (const char *layout : {"banded", "dense", "sd", "dia", "sro"}) {
    SCOPED_TRACE(layout);
    const std::string format = std::string("A=") + layout;
    expect_right(desk, {"run", "y(i) = A(i,j)", "-f", format, "-f", "y=like:A", "-i", "A=banded:6,width=1"});
    expect_right(desk, {"run", "C(i,k) = A(i,j) * B(j,k)", "-f", format, "-f", "C=like:A", "-i",
                        "A=banded:6,width=1", "-i", "B=random:6x3"});
  }
  for (const char *layout : {"dsd", "ssd"})
    expect_right(desk, {"run", "D(i,j) = A(i,j,k) * v(k)", "-f", std::string("A=") + layout, "-f", "D=like:A",
                        "-i", "A=random:5x4x3,density=0.3", "-i", "v=random"});
}

/// Behind the first line.
std::vector<double> numbers_of(const std::string &file) {
  std::istringstream text(file.substr(file.find('\n')));
  return {std::istream_iterator<double>(text), {}};
}

TEST(ToolRun, FindMethodsGiveTheSame) {
  Desk desk;
  std::vector<std::string> common = {"run", spmv,
                                     "-f",  "A=csr",
                                     "-f",  "x=sv",
                                     "-i",  "A=random:60x50,density=0.2,seed=3",
                                     "-i",  "x=random:50,density=0.3,seed=4",
                                     "-o",  "y=y.mtx"};
  // Sums may be taken in another order: equal but for rounding.
  std::vector<double> first;
  for (const std::string find : {"auto", "scan", "seq", "gallop", "binary", "hash", "map"}) {
    std::vector<std::string> arguments = common;
    arguments.insert(arguments.end(), {"--find", "x=" + find});
    nlohmann::json facts = expect_right(desk, arguments);
    std::string method = facts.at("finds").at(0).at("template");
    std::string wanted = find == "seq"      ? "sequential"
                         : find == "gallop" ? "galloping"
                         : find == "auto"   ? "map"
                                            : find;
    EXPECT_EQ(method, wanted);
    std::vector<double> got = numbers_of(desk.read("y.mtx"));
    if (first.empty()) first = got;
    ASSERT_EQ(got.size(), 62u);
    for (std::size_t k = 0; k < got.size(); ++k)
      EXPECT_NEAR(got[k], first[k], 1e-14) << find;
  }
}

TEST(ToolRun, ThreadsAndWidths) {
  Desk desk;
  for (const std::string threads : {"1", "2"})
    for (const std::string index : {"int32", "int64"})
      for (const std::string type : {"f32", "f64"})
        expect_right(desk, {"run", "s = A(i,j) * B(i,j)", "-f", "A=dcsr", "-f", "B=dcsr", "-i",
                            "A=random:300x40,density=0.05", "-i", "B=random:300x40,density=0.1,seed=9",
                            "--threads", threads, "--index", index, "--type", type});
}

TEST(ToolRun, SizesOfIndicesThatOnlyShiftsHave) {
  Desk desk;
  desk.write("x.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n");
  expect_right(desk, {"run", "y(i) = x(i+1)", "-i", "x=x.mtx", "--size", "i=5", "-o", "y=y.mtx"});
  EXPECT_EQ(desk.read("y.mtx"), "%%MatrixMarket matrix array real general\n5 1\n2\n3\n4\n0\n0\n");
}

TEST(ToolRun, FoldersOfArraysInAndOut) {
  Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n2 3 4\n1 2 -1\n");
  expect_right(desk, {"run", "C(i,j) = A(i,j)", "-f", "A=csr", "-f", "C=dense<1,0>", "-i", "A=a.mtx", "-o",
                      "C=folder"});
  EXPECT_EQ(nlohmann::json::parse(desk.read("folder/layout.json")),
            nlohmann::json::parse(
                R"({"layout": "dense", "parameters": [1, 0], "sizes": {"M": 3, "N": 2}, "counts": {}})"));
  // The folder says its layout.
  nlohmann::json facts = expect_right(desk, {"run", "D(i,j) = C(i,j)", "-i", "C=folder", "-o", "D=d.mtx"});
  EXPECT_EQ(facts.at("operands").at(0).at("layout"), "dense<1, 0>");
  EXPECT_EQ(desk.read("d.mtx"), "%%MatrixMarket matrix array real general\n2 3\n2\n0\n-1\n0\n0\n4\n");
}

void write_csr(const Desk &desk, const std::vector<std::int32_t> &rowptr,
               const std::vector<std::int32_t> &col) {
  desk.write("a/layout.json", R"({"layout": "csr", "parameters": [], "sizes": {"M": 2, "N": 2}})");
  desk.write("a/rowptr.npy", npy("<i4", rowptr));
  desk.write("a/col.npy", npy("<i4", col));
  desk.write("a/val.npy", npy("<f8", std::vector<double>{1, 2, 3}));
}

TEST(ToolRun, ArraysThatBreakAProperty) {
  Desk desk;
  write_csr(desk, {0, 2, 3}, {1, 0, 1});
  std::vector<std::string> arguments = {"run", spmv, "-i", "A=a", "-i", "x=ones", "-o", "y=y.mtx"};
  Outcome refused = desk.unravel(arguments);
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(
      refused.error,
      "error: the arrays of operand `A` are not a tensor in layout `csr`: `strictly increasing col within "
      "rowptr` does not hold: col[0] = 1 and col[1] = 0 in segment 0 [property-violated]\n");
  EXPECT_FALSE(desk.has("y.mtx"));
  arguments.push_back("--no-validate");
  EXPECT_EQ(desk.unravel(arguments).code, 0);
  EXPECT_EQ(desk.read("y.mtx"), "%%MatrixMarket matrix array real general\n2 1\n3\n3\n");
}

/// What keeps accesses in bounds is refused too; in order, the same arrays are fine.
TEST(ToolRun, ArraysThatLeadOutside) {
  Desk desk;
  for (const auto &[rowptr, col] :
       std::vector<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>>{
           {{0, 2, 3}, {0, 2, 1}},
           {{0, 2, 3}, {-1, 0, 1}},
           {{0, 4, 3}, {0, 1, 1}},
           {{-1, 2, 3}, {0, 1, 1}}}) {
    write_csr(desk, rowptr, col);
    Outcome refused = desk.unravel({"run", spmv, "-i", "A=a", "-i", "x=ones"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.error.find("[property-violated]"), std::string::npos) << refused.error;
  }
  write_csr(desk, {0, 2, 3}, {0, 1, 1});
  expect_right(desk, {"run", spmv, "-i", "A=a", "-i", "x=ones"});
}

/// Without validation, too, arrays belong together.
TEST(ToolRun, ArraysThatDontBelongTogether) {
  Desk desk;
  write_csr(desk, {0, 2, 9}, {0, 1, 1});
  desk.write("a/layout.json", R"({"layout": "csr", "sizes": {"M": 2, "N": 2}, "counts": {"NNZ": 3}})");
  for (const char *validation : {"--time", "--no-validate"}) {
    Outcome refused = desk.unravel({"run", spmv, "-i", "A=a", "-i", "x=ones", validation});
    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(refused.error,
              "error: the arrays of operand `A` are not a tensor in layout `csr`: count `NNZ = "
              "rowptr(M)` does not hold: NNZ is 3, but rowptr(M) is 9 [extent-mismatch]\n");
  }
}

/// What is written can be read again.
TEST(ToolRun, FoldersOfResults) {
  Desk desk;
  EXPECT_EQ(
      desk.unravel({"run", spmv, "-i", "A=random:6x5", "-i", "x=ones", "-o", "y=y", "-f", "A=csr"}).code, 0);
  EXPECT_EQ(
      desk.unravel({"run", spmv, "-i", "A=random:6x5", "-i", "x=ones", "-o", "y=y.mtx", "-f", "A=csr"}).code,
      0);
  Outcome vector = desk.unravel({"convert", "y", "z.mtx"});
  EXPECT_EQ(vector.code, 0) << vector.error;
  EXPECT_EQ(desk.read("z.mtx"), desk.read("y.mtx"));
  Outcome like = desk.unravel({"run", "D(i,j) = S(i,j)*x(j)", "-f", "S=ss:1,0", "-f", "D=like:S", "-i",
                               "S=random:6x5,density=0.5", "-i", "x=ones", "-o", "D=D"});
  EXPECT_EQ(like.code, 0) << like.error;
  Outcome matrix = desk.unravel({"convert", "D", "D.mtx"});
  EXPECT_EQ(matrix.code, 0) << matrix.error;
  expect_right(desk, {"run", spmv, "-i", "A=D", "-i", "x=ones"});
}

/// A user's own layout file works everywhere a shipped name does.
TEST(ToolRun, OwnLayoutFiles) {
  Desk desk;
  std::string text = shipped_layout("csr");
  text.replace(text.find("layout csr"), 10, "layout mine");
  desk.write("own.layout", text);
  const std::string own = "./own.layout:mine";
  EXPECT_EQ(desk.unravel({"layout", "check", own}).out,
            "mine (order 2): consistent, bounded, every access proved in range\n"
            "  functional  yes: proved, no position has two coordinates\n"
            "  injective   yes: proved, no coordinate has two positions\n"
            "  packable    yes: from coordinates\n"
            "  insertable  no: nothing determines the position `p` of coordinates (i, j)\n"
            "  any order   p by map, sequential (a walk per i), galloping, binary, hash, scan\n");
  Outcome shown = desk.unravel({"layout", "show", own});
  EXPECT_EQ(shown.code, 0);
  EXPECT_EQ(shown.out.find("layout mine(i: M, j: N)\n  index rowptr[M + 1]\n"), 0u) << shown.out;
  for (const std::string reference : {"./own.layout", "own.layout:mine", "./own.layout:mine"})
    expect_right(desk,
                 {"run", spmv, "-f", "A=" + reference, "-i", "A=random:9x8,density=0.3", "-i", "x=random"});
  expect_right(desk, {"run", "s = A(i,j) * B(i,j)", "-f", "A=" + own, "-f", "B=csr", "-i",
                      "A=random:9x8,density=0.3", "-i", "B=random:9x8,density=0.3,seed=2"});
  EXPECT_NE(desk.unravel({"compile", spmv, "-f", "A=" + own}).out.find("} mine;"), std::string::npos);
  EXPECT_EQ(desk.unravel({"deps", spmv, "-f", "A=" + own, "--json"}).json().at("loops").at(0).at("verdict"),
            "parallel");
  EXPECT_EQ(desk.unravel({"explain", spmv, "-f", "A=" + own}).code, 0);
}

TEST(ToolRun, TransformedSpaces) {
  Desk desk;
  for (const char *layout :
       {"csr", "csc", "coo", "bcsr<2,3>", "ell", "ellr", "csr4", "dia", "sell<4>", "sellcs<4>", "csb<8>"})
    for (const char *schedule :
         {"tile i by 16, j by 8", "split j by 5", "bound j in [3, 17)", "skew j by i",
          "bound i in [2, 4]; bound i in [3, 9]; tile j by 4", "bound j = 40; tile j by 7"}) {
      SCOPED_TRACE(schedule);
      expect_right(desk, {"run", spmv, "-f", std::string("A=") + layout, "-i", "A=random:30x40,density=0.1",
                          "-i", "x=random", "-s", schedule});
    }
  Outcome outcome = desk.unravel({"run", spmv, "-f", "A=csr", "-i", "A=random:30x40,density=0.1", "-i",
                                  "x=random", "-s", "bound j = 41"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.error, "-s:1:11: error: index `j` has the extent 40 in these data, not 41 [wrong-shape]\n"
                           "  1 | bound j = 41\n"
                           "    |           ^~\n"
                           "  hint: write `bound j = 40`\n");
}

TEST(ToolRun, arrays_of_numpy_and_text) {
  const Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n2 1 -1\n");
  desk.write("x.npy", npy<double>("<f8", {2, 3}));
  auto run = [&](const std::string &output) {
    const Outcome made =
        desk.unravel({"run", spmv, "-f", "A=csr", "-i", "A=a.mtx", "-i", "x=x.npy", "-o", output});
    EXPECT_EQ(made.code, 0) << made.error;
  };
  run("y=y.txt");
  EXPECT_EQ(desk.read("y.txt"), "10\n-2\n");
  run("y=y.npy");
  const Outcome back = desk.unravel({"convert", "y.npy", "y.mtx"});
  ASSERT_EQ(back.code, 0) << back.error;
  EXPECT_NE(desk.read("y.mtx").find("\n1 1 10\n2 1 -2\n"), std::string::npos) << desk.read("y.mtx");
}

/// They had the density of layouts for sparse tensors.
TEST(ToolRun, IntegersFillDenseTensors) {
  const Desk desk;
  const Outcome made = desk.unravel({"run", "y max= (A(i) < x(i))", "-f", "A=dense int32", "-i", "A=integers",
                                     "-i", "x=ones:100", "-o", "y=y.txt"});
  EXPECT_EQ(made.code, 0) << made.error;
  EXPECT_EQ(desk.read("y.txt"), "0\n");
}

/// Packing adds them up in double and rounds the sum, where the layout doesn't store each: so does the check.
TEST(ToolRun, EqualCoordinatesAreCheckedInSinglePrecision) {
  const Desk desk;
  desk.write("a.tns", "# shape: 1\n1 16777217\n1 -16777216\n");
  for (const auto &[layout, sum] : {std::pair{"sv", "1\n"}, std::pair{"coo_dup", "0\n"}}) {
    const Outcome made =
        desk.unravel({"run", "y(i) = A(i) * x(i)", "--type", "f32", "-f", std::string("A=") + layout, "-i",
                      "A=a.tns", "-i", "x=ones", "-o", "y=y.txt", "--check"});
    EXPECT_EQ(made.code, 0) << made.out << made.error;
    EXPECT_EQ(desk.read("y.txt"), sum) << layout;
  }
}

TEST(ToolRun, LongResultsAreNamed) {
  const Desk desk;
  const Outcome made = desk.unravel(
      {"run", "C(i,j) = A(i,j)", "-f", "A=csr", "-f", "C=csr", "-i", "A=ones:1x4194305", "--threads", "1"});
  EXPECT_EQ(made.code, 0) << made.error;
  EXPECT_NE(made.out.find("C     1 x 4194305 with 4194305 entries\n"), std::string::npos) << made.out;
}

} // namespace
} // namespace unravel::tool::test
