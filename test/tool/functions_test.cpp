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

/// What the check can't tell, since the reference reads the same program.
TEST(ToolFunctions, OfIntegersAreWhatCComputes) {
  const Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 2 5\n2 1 1\n");
  desk.write("x.mtx", "%%MatrixMarket matrix array integer general\n2 1\n0\n1\n");
  const auto result = [&](const std::string &line, std::vector<std::string> formats, const char *operand) {
    std::vector<std::string> command{"run", line, "-i", operand, "-o", "y=y.txt"};
    for (const std::string &format : formats)
      command.insert(command.end(), {"-f", format});
    const Outcome outcome = desk.unravel(command);
    EXPECT_EQ(outcome.code, 0) << line << outcome.error;
    return desk.read("y.txt");
  };
  EXPECT_EQ(result("y(i) = x(i) + int32(sqrt(16))", {"x=dense int32"}, "x=x.mtx"), "4\n5\n");
  EXPECT_EQ(result("y(i) = x(i) + int32(pow(2, 3))", {"x=dense int32"}, "x=x.mtx"), "8\n9\n");
  // Where nothing is stored, -1 is 255, and 4294967295 without a sign.
  EXPECT_EQ(result("y(i) += uint8(A(i,j) - 1)", {"A=csr int32"}, "A=a.mtx"), "514\n510\n");
  EXPECT_EQ(result("y(i) += (A(i,j) < -1)", {"A=csr uint32"}, "A=a.mtx"), "3\n3\n");
  EXPECT_EQ(result("y(i) += uint32(A(i,j) - 1)", {"A=csr int32", "y=dense int64"}, "A=a.mtx"),
            "8589934594\n8589934590\n");
  EXPECT_EQ(result("y(i) min= A(i,j) * 0 + 7", {"A=csr int32 fill inf", "y=dense int64"}, "A=a.mtx"),
            "7\n7\n");
  // Products that no double holds.
  EXPECT_EQ(
      result("y(i) = x(i) * 94906267 * 94906267 - x(i) * 94906267 * 94906266", {"x=dense int64"}, "x=x.mtx"),
      "0\n94906267\n");
}

/// any(0, 5) + 1 is 6, whatever `any` may choose.
TEST(ToolFunctions, AnyIsNotMultipliedOut) {
  const Desk desk;
  const Outcome outcome = desk.unravel(
      {"run", "y(i) = (x(i) + z(i)) * w(i) in any.+", "-i", "x=zeros:3", "-i", "z=ones:3", "-i", "w=ones"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.error.find("can't be multiplied out"), std::string::npos) << outcome.error;
}

TEST(ToolFunctions, RoundNoComplexNumbers) {
  const Outcome outcome = Desk().unravel({"compile", "y(i) = floor(x(i))", "-f", "x=dense complex128"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.error.find("`floor` is not defined for complex numbers"), std::string::npos)
      << outcome.error;
}

} // namespace unravel::tool::test
