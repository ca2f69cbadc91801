// Which positions are found only to read a value there.
#include "scan/uses.h"
#include "scan_text.h"

#include <gtest/gtest.h>

namespace unravel::test {
namespace {

std::string positions_of(const std::string &input, scan::Need wanted) {
  CombinationText text = read_combination_text(input);
  combine::Combination made = combine_text(text);
  std::string all;
  for (const combine::IterationSpace &leaf : made.leaves)
    for (const auto &[position, need] : scan::needs_of_positions(
             leaf, scan::scan_space(leaf, order_for(text, leaf), made.axioms, made.arrays)))
      if (need == wanted) all += (all.empty() ? "" : " ") + position;
  return all;
}

std::string value_positions_of(const std::string &input) {
  return positions_of(input, scan::Need::Value);
}

std::string present_positions_of(const std::string &input) {
  return positions_of(input, scan::Need::Nothing);
}

TEST(ScanUses, positions_of_values) {
  EXPECT_EQ(value_positions_of("y(i) = A(i,j) * x(j)\n-f A=csr\n-f x=sv"), "x.p");
  EXPECT_EQ(value_positions_of("s = A(i,j) * B(i,j)\n-f A=csr\n-f B=csr"), "B.p");
  EXPECT_EQ(value_positions_of("s = A(i,j) * B(i,j)\n-f A=coo\n-f B=coo"), "B.p");
  EXPECT_EQ(value_positions_of("s = A(i,j) * A(j,i)\n-f A=csr"), "A#2.p");
  EXPECT_EQ(value_positions_of("s = x(i) * y(i) * z(i)\n-f x=sv\n-f y=sv\n-f z=sv"), "y.p z.p");
}

/// In maps of values a zero that is stored is -0.0.
TEST(ScanUses, no_positions_of_values_whose_zeros_have_a_sign) {
  EXPECT_EQ(value_positions_of("y(i) = A(i,j) * pow(x(j), -1)\n-f A=csr\n-f x=sv"), "");
  EXPECT_EQ(value_positions_of("y(i) = A(i,j) * x(j) in min.+\n-f A=csr\n-f x=sv"), "x.p");
}

TEST(ScanUses, no_positions_that_something_else_needs) {
  // A loop's position, not a find's.
  EXPECT_EQ(value_positions_of("y(i) = A(i,j) * x(j)\n-f A=csr"), "");
  // The row's position is needed to find the entry's.
  EXPECT_EQ(value_positions_of("s = A(i,j) * B(i,j)\n-f A=dcsr\n-f B=dcsr"), "B.p");
  // The value's slot is more than the position.
  EXPECT_EQ(value_positions_of("s = A(i,j) * B(i,j)\n-f A=csr\n-f B=@pieces/bcsr<2,3>\n-s order i, A.p"), "");
  // A row of which nothing is read.
  EXPECT_EQ(value_positions_of("y(i) = A(i,j) * x(j)\n-f A=csr\n--where 0 <= A.p and A.p < A.NNZ\n"
                               "-s order A.p, i"),
            "");
}

TEST(ScanUses, positions_that_need_only_be_there) {
  EXPECT_EQ(present_positions_of("s = A(i,j) * B(i,j) in plus.pair\n-f A=csr\n-f B=csr"), "B.p");
  EXPECT_EQ(present_positions_of("s = A(i,j) * B(i,j) in min.first\n-f A=csr\n-f B=csr"), "B.p");
  EXPECT_EQ(present_positions_of("s = A(i,j) * B(i,j) in plus.first\n-f A=csr int8\n-f B=csr int8"), "B.p");
  EXPECT_EQ(present_positions_of("s = A(i,j) * x(j) mask M(i,j)\n-f A=csr\n-f M=csr"), "M.p");
  EXPECT_EQ(present_positions_of("s = A(i,j) * B(i,j) in plus.second\n-f A=csr\n-f B=csr"), "");
  EXPECT_EQ(present_positions_of("s = A(i,j) * B(i,j)\n-f A=csr\n-f B=csr"), "");
  // The row's position leads to the entry's.
  EXPECT_EQ(present_positions_of("s = A(i,j) * B(i,j) in plus.pair\n-f A=dcsr\n-f B=dcsr"), "B.p");
}

} // namespace
} // namespace unravel::test
