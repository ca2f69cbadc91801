// Lines whose elements are computed from their own old values: they set what the same line sets elsewhere.
#include "tool/tool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

/// A vector of small integers, so that no sum is rounded.
std::string vector_of(int factor) {
  std::string text = "%%MatrixMarket matrix array real general\n6 1\n";
  for (int k = 0; k < 6; ++k)
    text += fmt::format("{}\n", (k * factor + 2) % 7 - 3);
  return text;
}

/// What the line sets its result to: `right` reads the values in y.
std::string set_by(const Desk &desk, const std::string &result, const std::string &right,
                   const std::vector<std::string> &formats) {
  std::vector<std::string> arguments{
      "run", fmt::format("{}(i) {}", result, right), "--check", "-o", result + "=out.mtx", "-i", "y=y.mtx"};
  for (const std::string tensor : {"x", "b", "c", "m", "A"})
    if (right.find(tensor + "(") != std::string::npos)
      arguments.insert(arguments.end(), {"-i", tensor + "=" + tensor + ".mtx"});
  for (const std::string &format : formats)
    if (right.find(format.substr(0, 1) + "(") != std::string::npos)
      arguments.insert(arguments.end(), {"-f", format});
  const Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << right << "\n" << outcome.error;
  std::string made = outcome.code == 0 ? desk.read("out.mtx") : "";
  for (std::size_t at; (at = made.find("\n-0\n")) != std::string::npos;)
    made.erase(at + 1, 1);
  return made;
}

} // namespace

TEST(ToolOldValue, SetsWhatTheLineSetsElsewhere) {
  const Desk desk;
  int factor = 2;
  for (const char *name : {"x", "b", "y", "c"})
    desk.write(fmt::format("{}.mtx", name), vector_of(factor++));
  desk.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n6 1 3\n1 1 1\n4 1 1\n5 1 1\n");
  desk.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n6 6 7\n"
                      "1 1 2\n1 4 -1\n2 6 3\n4 1 1\n4 4 -2\n5 2 4\n6 3 1\n");
  for (const char *right :
       {"= 2 * y(i) + A(i,j) * x(j)", "= A(i,j) * x(j) - y(i)", "= b(i) - y(i) * c(i)",
        "= y(i) * y(i) - y(i)", "= y(i) * A(i,j) * x(j) + b(i) * y(i)", "= 2 * y(i) + x(i+1) - x(i-1)",
        "= y(i) * x(i+2) + b(i)", "= 3 * y(i) - A(i,j) * x(j) mask m(i)", "= abs(y(i)) - 2 * c(i)",
        "= y(i) * A(j,i) * x(j) mask i < j", "= y(i) + 3 + y(i) * c(i) + b(i)"})
    for (const std::vector<std::string> &formats : {std::vector<std::string>{"A=csr", "m=sv"},
                                                    {"A=csc", "c=sv", "m=bitmap"},
                                                    {"A=coo", "x=sv", "m=sv"}})
      EXPECT_EQ(set_by(desk, "y", right, formats), set_by(desk, "z", right, formats)) << right;
}

/// What a sparse factor is where it isn't stored is needed too. By hand, for r: 2, 7, 14, 33; -1, 4, -4, 9.
TEST(ToolOldValue, ProgramsReadSparseFactorsInEachIteration) {
  const Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n4 1 2\n2 1 3\n4 1 5\n");
  const auto printed = [&](const std::string &program, const std::string &operand) {
    return desk.unravel({"run", program, "-f", "a=sv", "-i", "a=a.mtx", "-i", operand, "--check"}).out;
  };
  const auto is_in = [](const std::string &part, const std::string &text) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(is_in("\nr = 33\n", printed("for i { r = 2*r + a(i); }", "r=1")));
  EXPECT_TRUE(is_in("\nr = 9\n", printed("for i { r = a(i) - r; }", "r=1")));
  const std::string scaled = printed("for i { y(i) *= a(i); }", "y=ones:4");
  EXPECT_TRUE(is_in("y(1) = 3", scaled) && is_in("y(3) = 5", scaled) && is_in("norm 5.83", scaled)) << scaled;
}

} // namespace unravel::tool::test
