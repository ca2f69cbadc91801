// Functions of C in lines of every kind, against the reference.
#include "tool/tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {

TEST(ToolFunctions, AreThoseOfC) {
  const Desk desk;
  const std::string matrix = "A=random:40x50,density=0.1,seed=3";
  const std::vector<std::vector<std::string>> lines = {
      {"y(i) = sin(x(i)) - cos(2 * x(i)) + tan(x(i)) * tanh(x(i))", "-i", "x=random:100"},
      {"y(i) = sin(x(i)) + tanh(x(i))", "-f", "x=dense complex128", "-i", "x=random:100"},
      {"y(i) = cos(x(i)) + tan(x(i) / 4)", "-f", "x=dense complex64", "-i", "x=random:100"},
      {"y(i) = floor(10 * x(i)) - ceil(7 * x(i))", "-i", "x=random:100"},
      {"y(i) = floor(x(i)) + sin(x(i))", "-f", "x=dense int32", "-i", "x=integers:100"},
      {"B(i,j) = tan(A(i,j) / 2)", "-f", "A=csc", "-f", "B=csr", "-i", matrix},
      {"y(i) = floor(3 * A(i,j)) * x(j)", "-f", "A=csr", "-i", matrix, "-i", "x=random"},
      {"y(i) = cos(A(i,j)) * x(j)", "-f", "A=csr", "-i", matrix, "-i", "x=random"},
  };
  for (std::vector<std::string> line : lines) {
    SCOPED_TRACE(line[0]);
    line.insert(line.begin(), "run");
    line.push_back("--check");
    const Outcome outcome = desk.unravel(line);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_NE(outcome.out.find("check ok"), std::string::npos) << outcome.out;
  }
}

/// sin(0) is 0, so that only what is stored is computed; cos(0) isn't.
TEST(ToolFunctions, OfZero) {
  const Desk desk;
  for (const char *function : {"sin", "tan", "tanh", "floor", "ceil", "cos"}) {
    const Outcome outcome = desk.unravel({"run", std::string("B(i,j) = ") + function + "(A(i,j))", "-f",
                                          "A=csr", "-f", "B=csr", "-i", "A=random:40x50,entries=100"});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    const bool is_sparse = outcome.out.find("40 x 50 with 100 entries, norm") != std::string::npos;
    EXPECT_EQ(is_sparse, function != std::string("cos")) << outcome.out;
  }
}

TEST(ToolFunctions, RoundNoComplexNumbers) {
  const Outcome outcome = Desk().unravel({"compile", "y(i) = floor(x(i))", "-f", "x=dense complex128"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.error.find("`floor` is not defined for complex numbers"), std::string::npos)
      << outcome.error;
}

} // namespace unravel::tool::test
