#include "compute/written_sums.h"

#include "parse/parse.h"

#include <gtest/gtest.h>
#include <memory>

namespace unravel::compute {
namespace {

std::string with_sums(const std::string &line) {
  const parse::AssignmentTree tree =
      parse::parse_assignment(std::make_shared<const text::Source>("test", line));
  return text_with_sums(tree, written_sums(tree, "sum"));
}

TEST(WrittenSums, StandAroundProductsThatUseTheIndex) {
  EXPECT_EQ(with_sums("y(i) = A(i,j)*x(j)"), "y(i) = sum(j, A(i, j) * x(j))\n");
  EXPECT_EQ(with_sums("r(i) = b(i) - A(i,j)*x(j) - B(i,j)*z(j)"),
            "r(i) = b(i) - sum(j, A(i, j) * x(j)) - sum(j, B(i, j) * z(j))\n");
  EXPECT_EQ(with_sums("s = x(i) - 1"), "s = sum(i, x(i)) - 1\n");
  EXPECT_EQ(with_sums("y(i) = -(A(i,j)*x(j))/d(i)"), "y(i) = sum(j, -(A(i, j) * x(j)) / d(i))\n");
  EXPECT_EQ(with_sums("y(i) = x(i)"), "y(i) = x(i)\n");
}

TEST(WrittenSums, GoIntoABracketThatAloneUsesTheIndex) {
  EXPECT_EQ(with_sums("y(i) = c(i)*(A(i,j)*x(j) - b(i))"), "y(i) = c(i) * (sum(j, A(i, j) * x(j)) - b(i))\n");
  EXPECT_EQ(with_sums("y(i) = A(i,j)*(x(j) + B(j,k)*z(k))"),
            "y(i) = sum(j, A(i, j) * (x(j) + sum(k, B(j, k) * z(k))))\n");
  EXPECT_EQ(with_sums("y(i) = a(i)/(x(j) + 1)"), "y(i) = sum(j, a(i) / (x(j) + 1))\n"); // a divisor
}

TEST(WrittenSums, StandOverTheProductOfBracketsWithANote) {
  EXPECT_EQ(
      with_sums("v = (x(i)-mu)*(x(i)-mu)"),
      "v = sum(i, (x(i) - mu) * (x(i) - mu))\n"
      "# note: `i` stands in both brackets, so it is summed over their product, where `mu` counts for each "
      "i; a sum in each bracket has an index of its own\n");
  EXPECT_EQ(
      with_sums("v = (A(i,j)-U(i,r)*V(j,r))*(A(i,j)-U(i,r)*V(j,r))"),
      "v = sum(i, j, r, (A(i, j) - U(i, r) * V(j, r)) * (A(i, j) - U(i, r) * V(j, r)))\n"
      "# note: `r` stands in both brackets, so it is summed over their product, where `A(i, j)` counts for "
      "each r; a sum in each bracket has an index of its own\n");
  EXPECT_EQ(with_sums("v = (x(i)-y(i))*(x(i)-y(i))"), "v = sum(i, (x(i) - y(i)) * (x(i) - y(i)))\n");
}

TEST(WrittenSums, WarnOfAnIndexThatOnlyAnArgumentHas) {
  EXPECT_EQ(
      with_sums("y(i) = exp(A(i,j)*x(j))"),
      "y(i) = sum(j, exp(A(i, j) * x(j)))\n"
      "# warning: `j` stands only inside `exp`, so what is summed over it is the function's value; to sum "
      "`A(i, j) * x(j)` first, compute it into a tensor of its own\n");
  EXPECT_EQ(with_sums("y(i) = exp(A(i,j))"), "y(i) = sum(j, exp(A(i, j)))\n");
  EXPECT_EQ(with_sums("y(i) = A(i,j)*exp(x(i)*z(j))"), "y(i) = sum(j, A(i, j) * exp(x(i) * z(j)))\n");
}

TEST(WrittenSums, CountTheIndicesOfTheMask) {
  EXPECT_EQ(with_sums("y(i) = x(i) + 1 mask M(i,j)"), "y(i) = sum(j, x(i)) + sum(j, 1) mask M(i, j)\n");
}

TEST(WrittenSums, AreReductionsOfTheWholeValueElsewhere) {
  EXPECT_EQ(with_sums("y(i) max= A(i,j) + b(i)"), "y(i) max= max(j, A(i, j) + b(i))\n");
  EXPECT_EQ(with_sums("C(i,j) = A(i,k) * B(k,j) in min.+"), "C(i, j) = A(i, k) * B(k, j) in min.+\n");
}

} // namespace
} // namespace unravel::compute
