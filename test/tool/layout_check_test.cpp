// `unravel layout check`: what it says of layouts.
#include "tool.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

/// The table, without its first line where that says that all is well.
std::string table(const Desk &desk, const std::string &layout) {
  Outcome checked = desk.unravel({"layout", "check", layout});
  EXPECT_EQ(checked.code, 0) << checked.error;
  EXPECT_EQ(checked.error, "");
  std::size_t end = checked.out.find('\n');
  EXPECT_NE(checked.out.substr(0, end).find("consistent, bounded, every access proved in range"),
            std::string::npos);
  return checked.out.substr(end + 1);
}

const std::string proved = "  functional  yes: proved, no position has two coordinates\n"
                           "  injective   yes: proved, no coordinate has two positions\n";

TEST(ToolLayoutCheck, ShippedLayouts) {
  Desk desk;
  EXPECT_EQ(table(desk, "csr"),
            proved + "  packable    yes: from coordinates\n"
                     "  insertable  no: nothing determines the position `p` of coordinates (i, j)\n"
                     "  any order   p by map, sequential (a walk per i), galloping, binary, hash, scan\n");
  EXPECT_EQ(table(desk, "coo"),
            proved + "  packable    yes: from coordinates\n"
                     "  insertable  no: nothing determines the position `p` of coordinates (i, j), and "
                     "with another entry `strictly increasing (row, col)` isn't proved to hold then\n"
                     "  by i, j     p by sequential, galloping, binary, hash, scan\n"
                     "  by j, i     p by sequential (a walk per j), galloping, binary, hash, "
                     "scan\n");
  EXPECT_EQ(
      table(desk, "coo_unsorted"),
      proved +
          "  packable    yes: from coordinates\n"
          "  insertable  no: nothing determines the position `p` of coordinates (i, j), and with another "
          "entry `injective (row, col)` isn't proved to hold then\n"
          "  any order   p by hash, scan\n");
  const std::string repeated =
      "  functional  yes: proved, no position has two coordinates\n"
      "  injective   no: as with row = [0, 0], col = [0, 0]: positions (p = 0) and (p = 1) both have the "
      "coordinate (i = 0, j = 0)\n"
      "  packable    yes: from coordinates\n"
      "  insertable  yes: each entry is a new one, at p = NNZ\n"
      "  any order   p by hash, scan\n";
  EXPECT_EQ(table(desk, "coo_dup").substr(0, repeated.size()), repeated); // then other orders
  EXPECT_EQ(table(desk, "bcsr<2,2>"),
            proved + "  packable    yes: from coordinates\n"
                     "  insertable  no: nothing determines the position `b` of coordinates (i, j)\n"
                     "  any order   p by sequential (a walk per i), galloping, binary, hash, scan\n");
  EXPECT_EQ(table(desk, "dia"),
            proved + "  packable    yes: from coordinates\n"
                     "  insertable  no: nothing determines the position `d` of coordinates (i, j)\n"
                     "  any order   d by sequential (a walk per i), galloping, binary, hash, scan\n");
  EXPECT_NE(table(desk, "warp24").find("  any order   g by scan; s by map"), std::string::npos);
  EXPECT_EQ(table(desk, "dense<1,0>"), proved +
                                           "  packable    yes: from coordinates\n"
                                           "  insertable  yes: every entry has a place\n"
                                           "  any order   every position follows from the coordinates\n");
  EXPECT_NE(
      desk.unravel({"layout", "check", "bitmap"}).out.find("insertable  yes: unless `present(i) = 1`\n"),
      std::string::npos);
  EXPECT_NE(desk.unravel({"layout", "check", "listed"})
                .out.find("insertable  yes: unless `0 <= map(i)`, at p = NNZ"),
            std::string::npos);
  std::string symmetric = table(desk, "symmetric_csr");
  EXPECT_EQ(symmetric.find(proved), 0u) << symmetric;
  EXPECT_NE(symmetric.find(
                "p (piece 1) by sequential (a walk per i), galloping, binary, hash, scan; p (piece 2) by "
                "sequential (a walk per j)"),
            std::string::npos)
      << symmetric;
}

TEST(ToolLayoutCheck, ForPrograms) {
  Desk desk;
  nlohmann::json all = desk.unravel({"layout", "check", "coo_dup", "--json"}).json().at("layouts");
  ASSERT_EQ(all.size(), 8u); // orders
  EXPECT_TRUE(all[0].at("findings").empty());
  nlohmann::json answers = all[0].at("answers");
  EXPECT_EQ(answers.at("functional").at("verdict"), "yes");
  EXPECT_EQ(answers.at("injective").at("verdict"), "no");
  EXPECT_EQ(answers.at("packable").at("verdict"), "yes");
  EXPECT_EQ(answers.at("packable").at("plan").get<std::string>().find("pack coo_dup\n"), 0u);
  nlohmann::json order = answers.at("orders").at(1);
  EXPECT_EQ(order.at("order"), nlohmann::json({"j", "i"}));
  EXPECT_EQ(order.at("refused"), nullptr);
  EXPECT_EQ(order.at("finds").at(0).at("position"), "p");
  EXPECT_EQ(order.at("finds").at(0).at("methods"), nlohmann::json({"hash", "scan"}));
  // `show` asks none of it.
  EXPECT_FALSE(desk.unravel({"layout", "show", "csr", "--json"}).json().at("layouts")[0].contains("answers"));
}

TEST(ToolLayoutCheck, LayoutsOfOnesOwn) {
  Desk desk;
  // A row's columns aren't told apart, nothing orders them, and an access may leave its array.
  desk.write("loose.layout",
             "layout loose(i: M, j: N) { index ptr[M + 1], col[K]; count K; value v[K];\n"
             "  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and ptr(r) <= p < ptr(r + 1) and "
             "j = col(p) } at v(p);\n"
             "  property increasing ptr; property range col in [0, N); }\n");
  Outcome loose = desk.unravel({"layout", "check", "./loose.layout"});
  EXPECT_EQ(loose.code, 0);
  EXPECT_NE(loose.error.find("[argument-range]"), std::string::npos) << loose.error;
  EXPECT_EQ(loose.out.find("loose (order 2): "), 0u) << loose.out;
  EXPECT_NE(loose.out.find("  injective   no: as with ptr = "), std::string::npos) << loose.out;
  EXPECT_NE(loose.out.find("  any order   p by "), std::string::npos) << loose.out;
  // A position that stands for several coordinates is none that packing makes.
  desk.write("wide.layout",
             "layout wide(i: M) { value v[M];\n"
             "  stored { [p] -> [i] : 0 <= p < M and p <= i <= p + 1 and i < M } at v(p); }\n");
  Outcome wide = desk.unravel({"layout", "check", "./wide.layout"});
  EXPECT_EQ(wide.code, 0) << wide.error;
  EXPECT_NE(
      wide.out.find("  functional  no: as with position (p = 0) has the coordinates (i = 0) and (i = 1)\n"),
      std::string::npos)
      << wide.out;
  EXPECT_NE(wide.out.find("  packable    no: `"), std::string::npos) << wide.out;
  // What is broken is said as before, and nothing else.
  desk.write("broken.layout",
             "layout broken(i: M) { value v[M]; stored { [p] -> [i] : i = p + q } at v(p); }\n");
  Outcome broken = desk.unravel({"layout", "check", "./broken.layout"});
  EXPECT_EQ(broken.code, 1);
  EXPECT_EQ(broken.out, "");
  EXPECT_NE(broken.error.find("[unknown-name]"), std::string::npos) << broken.error;
}

/// Of several layouts in a file one has contradictory properties.
TEST(ToolLayoutCheck, EachLayoutOfAFileHasItsSay) {
  Desk desk;
  auto layout = [](const std::string &name, const std::string &more) {
    return "layout " + name + "(i: M) {\n  index idx[NNZ];\n  count NNZ;\n  value val[NNZ];\n" +
           "  stored { [p] -> [i] : 0 <= p < NNZ and i = idx(p) } at val(p);\n" +
           "  property range idx in [0, M);\n" + more + "}\n";
  };
  desk.write("three.layout",
             layout("first", "") + layout("bad", "  property M = M + 1;\n") + layout("last", ""));
  Outcome checked = desk.unravel({"layout", "check", "three.layout"});
  EXPECT_EQ(checked.code, 1);
  EXPECT_EQ(checked.out.find("first (order 1): consistent"), 0u) << checked.out;
  EXPECT_NE(checked.out.find("last (order 1): consistent"), std::string::npos) << checked.out;
  EXPECT_EQ(
      checked.error.find("three.layout:14:12: error: the properties of layout `bad` contradict each other"),
      0u)
      << checked.error;
  checked = desk.unravel({"layout", "check", "three.layout", "--json"});
  EXPECT_EQ(checked.code, 1);
  EXPECT_EQ(checked.error, "");
  nlohmann::json layouts = checked.json().at("layouts");
  ASSERT_EQ(layouts.size(), 3u);
  EXPECT_EQ(layouts[1].at("name"), "bad");
  EXPECT_EQ(layouts[1].at("error").at("kind"), "contradictory-properties");
  EXPECT_EQ(layouts[2].at("name"), "last");
  EXPECT_FALSE(layouts[2].contains("error"));
  EXPECT_EQ(desk.unravel({"layout", "check", "three.layout:bad"}).out, "");
}

/// An order of neighbours is one of all pairs, whatever bounds their range, of arrays of several extents too.
/// And so entries are packed in it, however they come.
TEST(ToolLayoutCheck, NeighboursOfAnyRange) {
  Desk desk;
  const std::string entry = "j = col(p) } at val(p);\n  property range col in [0, N);\n";
  const std::map<std::string, std::string> layouts = {
      {"bounds", "  index pntrb[M], pntre[M], col[NNZ];\n  count NNZ;\n  value val[NNZ];\n"
                 "  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and pntrb(r) <= p < pntre(r) and " +
                     entry +
                     "  property forall r : 0 <= pntrb(r) and pntrb(r) <= pntre(r);\n"
                     "  property range pntre in [0, NNZ];\n"
                     "  property forall r, p : pntrb(r) <= p and p + 1 < pntre(r) => col(p) < col(p + 1);\n"},
      {"shifted",
       "  index rowptr[M + 1], col[NNZ];\n  count NNZ = rowptr(M) - 1;\n  value val[NNZ];\n"
       "  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and rowptr(r) - 1 <= p < rowptr(r + 1) - 1 "
       "and " +
           entry +
           "  property increasing rowptr;\n  property rowptr(0) = 1;\n"
           "  property forall r, p : rowptr(r) - 1 <= p < rowptr(r + 1) - 2 => col(p) < col(p + 1);\n"},
      {"falling",
       "  index rowptr[M + 1], col[NNZ];\n  count NNZ = rowptr(M);\n  value val[NNZ];\n"
       "  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and rowptr(r) <= p < rowptr(r + 1) and " +
           entry +
           "  property increasing rowptr;\n  property rowptr(0) = 0;\n"
           "  property forall r, p : rowptr(r) < p < rowptr(r + 1) => col(p) < col(p - 1);\n"},
      {"slots",
       "  index col[M, K];\n  count K;\n  value val[M, K];\n"
       "  stored { [r, s] -> [i, j] : i = r and 0 <= r < M and 0 <= s < K and j = col(r, s) } at val(r, "
       "s);\n  property forall r, s : 0 <= col(r, s) and col(r, s) < N;\n"
       "  property forall r, s : col(r, s) < col(r, s + 1);\n"}};
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 4\n1 3 1\n1 1 2\n2 2 3\n2 1 5\n");
  for (const auto &[name, text] : layouts) {
    SCOPED_TRACE(name);
    const std::string file = name + ".layout";
    desk.write(file, "layout " + name + "(i: M, j: N) {\n" + text + "}\n");
    const std::string said = table(desk, file);
    EXPECT_NE(said.find("  injective   yes: proved"), std::string::npos) << said;
    EXPECT_NE(said.find("  packable    yes: "), std::string::npos) << said;
    EXPECT_NE(said.find("sequential (a walk per i), galloping, binary"), std::string::npos) << said;
    Outcome run =
        desk.unravel({"run", "s = B(i,j) * A(i,j)", "-f", "A=" + file, "-f", "B=coo", "-i", "A=a.mtx", "-i",
                      "B=a.mtx", "--find", "A=binary", "-s", "order i, B.p, j", "--check"});
    EXPECT_EQ(run.code, 0) << run.error;
  }
}

/// With at most one entry in a row, the order within rows says nothing: no contradiction.
TEST(ToolLayoutCheck, PropertiesThatOthersMakeIdle) {
  Desk desk;
  desk.write("single.layout",
             "layout single(i: M, j: N) {\n  index rowptr[M + 1], col[NNZ];\n  count NNZ = rowptr(M);\n"
             "  value val[NNZ];\n"
             "  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and rowptr(r) <= p < rowptr(r + 1) and j = "
             "col(p) } at val(p);\n"
             "  property rowptr(0) = 0;\n  property increasing rowptr;\n  property range col in [0, N);\n"
             "  property strictly increasing col within rowptr;\n"
             "  property forall r : rowptr(r + 1) <= rowptr(r) + 1;\n}\n");
  EXPECT_NE(table(desk, "single.layout").find("  packable    yes: "), std::string::npos);
  desk.write("two.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n2 1 1\n");
  EXPECT_EQ(
      desk.unravel({"run", spmv, "-f", "A=single.layout", "-i", "A=two.mtx", "-i", "x=ones", "--check"}).code,
      0);
  // Two entries in a row.
  desk.write("row.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n1 1 1\n");
  Outcome full = desk.unravel({"convert", "row.mtx", "out", "-f", "single.layout"});
  EXPECT_EQ(full.code, 1);
  EXPECT_NE(full.error.find("[not-storable]"), std::string::npos) << full.error;
}

/// Where the array that a count is read from has no such element.
TEST(ToolLayoutCheck, CountsReadOutsideTheirArrays) {
  Desk desk;
  const std::string anti =
      "layout anti(i: N, j: N) { index rp[2*N], row[K]; count K = rp(2*N - 1); value val[K];\n"
      "  stored { [d, p] -> [i, j] : 0 <= d < 2*N - 1 and rp(d) <= p < rp(d + 1) and i = row(p) and j = d - "
      "i\n"
      "    and 0 <= j < N } at val(p);\n"
      "  property rp(0) = 0; property increasing rp; property range row in [0, N);\n"
      "  property strictly increasing row within rp;";
  desk.write("anti.layout", anti + "}\n");
  Outcome checked = desk.unravel({"layout", "check", "./anti.layout"});
  EXPECT_EQ(checked.code, 0);
  EXPECT_EQ(checked.out.find("anti (order 2): 1 warning\n"), 0u) << checked.out;
  EXPECT_EQ(checked.error.find("./anti.layout:1:56: warning: count `K` may be read outside `rp`: in "
                               "`rp(2*N - 1)` `2*N - 1` is not proved to be in [0, 2*N); a case: N = 0 "
                               "[argument-range]\n"),
            0u)
      << checked.error;
  auto run = [&](const std::string &sizes) {
    return desk.unravel({"run", spmv, "-f", "A=./anti.layout", "-i", "A=random:" + sizes, "-i", "x=ones"});
  };
  EXPECT_EQ(run("3x3").code, 0) << run("3x3").error;
  EXPECT_EQ(run("0x0").code, 1);
  EXPECT_EQ(
      run("0x0").error,
      "error: a tensor of 0 x 0 can't be packed in layout `anti`: count `K` = `rp(2*N - 1)` reads `rp` at "
      "-1, outside [0, 0) [argument-range]\n"
      "  hint: `unravel layout check` shows for which sizes it fails\n");
  desk.write("anti.layout", anti + " property 1 <= N; }\n");
  checked = desk.unravel({"layout", "check", "./anti.layout"});
  EXPECT_EQ(checked.error, "");
  EXPECT_EQ(checked.out.find("anti (order 2): consistent"), 0u) << checked.out;

  desk.write("short.layout",
             "layout short(i: M, j: N) { index rowptr[M], col[NNZ]; count NNZ = rowptr(M); value val[NNZ];\n"
             "  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and rowptr(r) <= p < rowptr(r + 1)\n"
             "    and j = col(p) } at val(p); }\n");
  for (const char *sizes : {"4x4", "0x0"}) {
    Outcome refused = desk.unravel(
        {"run", spmv, "-f", "A=./short.layout", "-i", std::string("A=random:") + sizes, "-i", "x=ones"});
    EXPECT_EQ(refused.code, 1) << sizes;
    EXPECT_NE(refused.error.find("[argument-range]"), std::string::npos) << refused.error;
  }
}

TEST(ToolLayoutCheck, ParametersThatLeaveNothing) {
  Outcome checked = Desk().unravel({"layout", "check", "csb<1>"});
  EXPECT_EQ(checked.code, 1);
  EXPECT_NE(checked.error.find("remove or weaken one of them, or choose other parameters than <1>\n"),
            std::string::npos)
      << checked.error;
}

/// Coordinates of order 20 have more orders than one can try, and their keys more lexicographic orders.
TEST(ToolLayoutCheck, ManyModes) {
  std::string coordinates, sizes, arrays, positions, ranges, keys;
  for (int k = 0; k < 20; ++k) {
    const std::string n = std::to_string(k), comma = k == 0 ? "" : ", ";
    coordinates += comma + "i" + n + ": N" + n;
    sizes += comma + "i" + n;
    arrays += comma + "c" + n + "[NNZ]";
    positions += " and i" + n + " = c" + n + "(p)";
    ranges += "  property range c" + n + " in [0, N" + n + ");\n";
    keys += comma + "c" + n;
  }
  Desk desk;
  desk.write("list.layout", "layout list(" + coordinates + ") {\n  index " + arrays +
                                ";\n  count NNZ;\n  value val[NNZ];\n  stored { [p] -> [" + sizes +
                                "] : 0 <= p < NNZ" + positions + " } at val(p);\n" + ranges +
                                "  property strictly increasing (" + keys + ");\n}\n");
  const std::string said = table(desk, "./list.layout");
  EXPECT_NE(said.find("by i0, i1, i2"), std::string::npos) << said;
  EXPECT_NE(said.find("p by sequential, galloping, binary, hash, scan\n"), std::string::npos) << said;
  EXPECT_NE(said.find("p by sequential (a walk per i19, i18, "), std::string::npos) << said;
  Outcome brief = desk.unravel({"layout", "check", "./list.layout", "--budget", "0.000000001", "--json"});
  EXPECT_EQ(brief.code, 0);
  EXPECT_NE(brief.error.find("[budget-spent]"), std::string::npos) << brief.error;
  EXPECT_FALSE(brief.json().at("layouts").at(0).at("answers").at("not_tried").empty());
}

} // namespace
} // namespace unravel::tool::test
