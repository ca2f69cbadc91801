// --combine: entries of one coordinate that stand for something else than their sum.
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {

namespace {

constexpr const char *edges = "%%MatrixMarket matrix coordinate integer general\n2 3 5\n"
                              "1 2 7\n1 2 3\n2 1 4\n1 2 5\n2 3 -1\n";

std::string behind_sizes(const std::string &text) {
  return text.substr(text.find('\n', text.find('\n') + 1) + 1);
}

} // namespace

TEST(ToolCombine, OfARun) {
  const auto result = [](const std::string &op, const std::string &layout, const std::string &line,
                         const std::string &front = "") {
    Desk desk;
    desk.write("A.mtx", edges);
    const Outcome outcome = desk.unravel({"run", front + line, "-f", "A=" + layout, "-i", "A=A.mtx",
                                          "--combine", "A=" + op, "-o", "y=y.mtx", "--check"});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_NE(outcome.out.find("check ok"), std::string::npos) << outcome.out;
    return desk.has("y.mtx") ? behind_sizes(desk.read("y.mtx")) : "";
  };
  for (const char *layout : {"csr", "coo", "coo_dup", "dense", "csc int32", "bcsr<2,2>"}) {
    EXPECT_EQ(result("min", layout, "y(i) = A(i,j)"), "3\n3\n") << layout;
    EXPECT_EQ(result("second", layout, "y(i) = A(i,j)"), "5\n3\n") << layout;
    EXPECT_EQ(result("+", layout, "y(i) = A(i,j)"), "15\n3\n") << layout;
  }
  EXPECT_EQ(result("nearest", "csr", "y(i) = A(i,j)",
                   "operator nearest(a, b) = select(abs(a - 6) < abs(b - 6), a, b); "),
            "5\n3\n");
}

TEST(ToolCombine, OfAConversion) {
  Desk desk;
  desk.write("A.mtx", edges);
  EXPECT_EQ(desk.unravel({"convert", "A.mtx", "least.mtx", "--combine", "min"}).code, 0);
  EXPECT_EQ(behind_sizes(desk.read("least.mtx")), "1 2 3\n2 1 4\n2 3 -1\n");
  EXPECT_EQ(desk.unravel({"convert", "A.mtx", "all", "-f", "coo_dup"}).code, 0);
  EXPECT_EQ(desk.unravel({"convert", "all", "last", "-f", "csr", "--combine", "second"}).code, 0);
  EXPECT_EQ(desk.unravel({"convert", "last", "last.mtx"}).code, 0);
  EXPECT_EQ(behind_sizes(desk.read("last.mtx")), "1 2 5\n2 1 4\n2 3 -1\n");
}

TEST(ToolCombine, Refusals) {
  Desk desk;
  desk.write("A.mtx", edges);
  desk.write("z.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 2\n");
  EXPECT_EQ(desk.unravel({"convert", "A.mtx", "A", "-f", "csr"}).code, 0);
  const auto refused = [&](const std::string &input, const std::string &combine, const std::string &message) {
    const Outcome outcome =
        desk.unravel({"run", "y(i) = A(i,j)", "-f", "A=csr", "-i", "A=" + input, "--combine", combine});
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.error.find(message), std::string::npos) << outcome.error;
  };
  refused("A.mtx", "A=least", "error: `--combine A=least`: `least` is not an operator [unknown-operator]");
  refused("A.mtx", "A=abs",
          "error: `--combine A=abs`: `abs` is not an operator of two arguments [unknown-operator]");
  refused("A.mtx", "A=least", "hint: as in --combine A=min");
  refused("A.mtx", "A=select",
          "error: `--combine A=select`: `select` is not an operator of two arguments [unknown-operator]\n"
          "  hint: as in --combine A=min\n");
  const Outcome converted = desk.unravel({"convert", "A.mtx", "B", "-f", "csr", "--combine", "A=min"});
  EXPECT_EQ(converted.error, "error: `--combine A=min`: `A=min` is not an operator [unknown-operator]\n"
                             "  hint: as in --combine min\n");
  refused("A.mtx", "B=min", "error: `--combine B=min`: no input is given for `B` [unknown-tensor]");
  refused("A", "A=min", "error: `--combine A=min`: the arrays of `A` are taken as they are [bad-option]");
  refused("z.mtx", "A=min",
          "error: `--combine A=min`: `min` is not defined for complex numbers [value-width]");
}

} // namespace unravel::tool::test
