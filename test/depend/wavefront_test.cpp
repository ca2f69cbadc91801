// What an inspector of wavefronts has to visit.
#include "depend/program_case.h"
#include "depend/wavefront.h"

#include <gtest/gtest.h>

namespace unravel::test {
namespace {

depend::Wavefront wavefront_of(const std::string &text, const std::map<std::string, std::string> &formats) {
  Case one(text, formats);
  return depend::wavefront(one.all(), one.prover);
}

TEST(Wavefront, rows_of_a_solve_wait_for_the_rows_that_they_read) {
  depend::Wavefront solve = wavefront_of("tensor L(n,n), b(n), x(n); for i in [0,n) { x(i) = b(i); "
                                         "for j in [0,i) { x(i) -= L(i,j)*x(j); } x(i) /= L(i,i); }",
                                         {{"L", "csr"}});
  EXPECT_EQ(solve.hindrance, "");
  ASSERT_EQ(solve.visits.size(), 1u);
  EXPECT_EQ(solve.visits[0].statement, 1u);
  EXPECT_EQ(term::to_text(solve.visits[0].partner), "j");
  EXPECT_TRUE(solve.visits[0].earlier);
  EXPECT_FALSE(solve.visits[0].later); // j < i
}

TEST(Wavefront, rows_of_a_sweep_also_precede_those_that_overwrite_what_they_read) {
  depend::Wavefront sweep =
      wavefront_of("tensor A(n,n), b(n), x(n); for i in [0,n) { let s = b(i); for j in [0,n) { if j != i "
                   "{ s -= A(i,j)*x(j); } } x(i) = s / A(i,i); }",
                   {{"A", "csr"}});
  EXPECT_EQ(sweep.hindrance, "");
  ASSERT_FALSE(sweep.visits.empty());
  bool earlier = false, later = false;
  for (const depend::Visit &visit : sweep.visits) {
    EXPECT_EQ(term::to_text(visit.partner), "j");
    earlier = earlier || visit.earlier, later = later || visit.later;
  }
  EXPECT_TRUE(earlier && later);
}

TEST(Wavefront, a_partner_may_be_counted_backwards) {
  depend::Wavefront upper = wavefront_of(
      "tensor U(n,n), x(n); for k in [0,n) { for j in [n-k,n) { x(n-1-k) -= U(n-1-k,j)*x(j); } }",
      {{"U", "csr"}});
  ASSERT_EQ(upper.visits.size(), 1u);
  EXPECT_EQ(term::to_text(upper.visits[0].partner), "U.M - j - 1");
}

TEST(Wavefront, columns_that_add_to_the_same_element_have_none) {
  depend::Wavefront columns = wavefront_of(
      "tensor L(n,n), x(n); for j in [0,n) { x(j) /= L(j,j); for i in [j+1,n) { x(i) -= L(i,j)*x(j); } }",
      {{"L", "csc"}});
  EXPECT_EQ(columns.hindrance, "x(i)");
}

TEST(Wavefront, rows_on_their_own_have_nothing_to_visit) {
  depend::Wavefront rows =
      wavefront_of("for i { y(i) *= beta; for j { y(i) += A(i,j)*x(j); } }", {{"A", "csr"}});
  EXPECT_EQ(rows.hindrance, "");
  EXPECT_TRUE(rows.visits.empty());
}

} // namespace
} // namespace unravel::test
