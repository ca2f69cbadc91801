// What `run` and `explain` say of a kernel that doesn't compute what is written, or whose sums may not fit.
#include "tool/tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

TEST(ToolNotes, BracketsThatAreMultipliedOut) {
  const Desk desk;
  const std::string note =
      "multiplied out: `(A(i, j) + b(i)) * x(j)`: walking the bracket would visit elements";
  const Outcome run =
      desk.unravel({"run", "y(i) = (A(i,j) + b(i)) * x(j)", "-f", "A=csr", "-i", "A=random:9x9,density=0.3",
                    "-i", "b=random", "-i", "x=random", "--check"});
  ASSERT_EQ(run.code, 0) << run.error;
  EXPECT_NE(run.out.find("note  " + note), std::string::npos) << run.out;
  const Outcome explained = desk.unravel({"explain", "y(i) = (A(i,j) + b(i)) * x(j)", "-f", "A=csr"});
  EXPECT_NE(explained.out.find("note: " + note), std::string::npos) << explained.out;
  EXPECT_NE(explained.out.find("y(i) = sum(j, (A(i, j) + b(i)) * x(j))\n"), std::string::npos)
      << explained.out;
  const Outcome written =
      desk.unravel({"explain", "y(i) = (A(i,j) + b(i)) * x(j)", "-f", "A=csr", "-s", "brackets written"});
  EXPECT_EQ(written.out.find("multiplied out"), std::string::npos) << written.out;
}

/// int16 products of three columns may come to more than int32 holds; int8 ones may not.
TEST(ToolNotes, SumsOfNarrowIntegers) {
  const Desk desk;
  const auto notes = [&](const std::string &type, const std::string &format) {
    return desk
        .unravel({"run", "y(i) = A(i,j) * x(j)", "-f", "A=csr " + type, "-f", "x=dense " + type, "-f", format,
                  "-i", "A=integers:9x9,density=0.3,most=3", "-i", "x=integers:9,most=3", "--check"})
        .out;
  };
  EXPECT_NE(notes("int16", "y=dense").find("note  a sum of `y` may not fit in int32"), std::string::npos);
  EXPECT_EQ(notes("int8", "y=dense").find("note"), std::string::npos);
  EXPECT_EQ(notes("int16", "y=dense int64").find("note"), std::string::npos);
}

/// A dense file lists the zeros of the other triangle.
TEST(ToolNotes, DenseFilesIntoTriangles) {
  const Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n0\n2\n3\n"); // by columns
  const Outcome run = desk.unravel(
      {"run", "y(i) = A(i,j)", "-f", "A=packed_upper", "-i", "A=a.mtx", "-o", "y=y.txt", "--check"});
  ASSERT_EQ(run.code, 0) << run.error;
  EXPECT_EQ(desk.read("y.txt"), "3\n3\n");
  const Outcome refused = desk.unravel({"run", "y(i) = A(i,j)", "-f", "A=packed_lower", "-i", "A=a.mtx"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.error.find("the entry at (0, 1) doesn't satisfy `j <= i`"), std::string::npos)
      << refused.error;
}

} // namespace
} // namespace unravel::tool::test
