// Dependences among the statements of a program: the triangular solve and its relatives.
#include "depend/program_case.h"
#include "depend/statements.h"
#include "places.h"

#include <gtest/gtest.h>

namespace unravel::test {
namespace {

/// i, then the entries, then what follows from them.
std::vector<std::string> rows_first(const combine::IterationSpace &space, const std::string &entries) {
  std::vector<std::string> order{"i", entries};
  for (const std::string &variable : space.variables())
    if (variable != "i" && variable != entries) order.push_back(variable);
  return order;
}

const std::string solve = "tensor L(n,n), b(n), x(n); for i in [0,n) { x(i) = b(i); "
                          "for j in [0,i) { x(i) -= L(i,j)*x(j); } x(i) /= L(i,i); }";

TEST(DependStatements, a_triangular_solve_carries_its_rows) {
  Case solver(solve, {{"L", "csr"}});
  ASSERT_EQ(solver.program.leaves.size(), 3u);
  depend::LoopVerdict rows = depend::classify_shared(solver.all(), 0, solver.prover);
  EXPECT_EQ(rows.verdict, depend::Verdict::Carried);
  EXPECT_NE(rows.witness, "");
  // The sum over a row's entries reads only earlier elements: a reduction.
  const combine::IterationSpace &sum = solver.program.leaves[1];
  std::vector<depend::LoopVerdict> inner =
      depend::classify(sum.relation, rows_first(sum, "L.p"), {"L.p"}, depend::references(sum), solver.prover);
  ASSERT_EQ(inner.size(), 1u);
  EXPECT_EQ(inner[0].verdict, depend::Verdict::Reduction);
}

TEST(DependStatements, without_the_triangle_a_row_reads_what_it_writes) {
  Case sweep("tensor A(n,n), x(n); for i in [0,n) { for j in [0,n) { x(i) += A(i,j)*x(j); } }",
             {{"A", "csr"}});
  const combine::IterationSpace &sum = sweep.program.leaves[0];
  std::vector<depend::LoopVerdict> inner =
      depend::classify(sum.relation, rows_first(sum, "A.p"), {"A.p"}, depend::references(sum), sweep.prover);
  ASSERT_EQ(inner.size(), 1u);
  EXPECT_EQ(inner[0].verdict, depend::Verdict::Carried);
}

TEST(DependStatements, rows_that_read_no_other_row_are_parallel) {
  Case scaled("for i { y(i) *= beta; for j { y(i) += A(i,j)*x(j); } }", {{"A", "csr"}});
  EXPECT_EQ(depend::classify_shared(scaled.all(), 0, scaled.prover).verdict, depend::Verdict::Parallel);
}

TEST(DependStatements, an_order_that_turns_a_dependence_round_is_found) {
  Case sweep("tensor A(n,m), y(n+m); for i in [0,n) { for j in [0,m) { y(i+j+1) += A(i,j)*y(i+j); } }",
             {{"A", "csc"}});
  const combine::IterationSpace &space = sweep.program.leaves[0];
  const term::Term i = term::variable("i"), j = term::variable("j");
  depend::Ordered kept{&space, depend::source_schedule(space), {term::Term(0), i, j}};
  EXPECT_FALSE(depend::find_violation({kept}, sweep.prover));
  depend::Ordered turned{&space, depend::source_schedule(space), {term::Term(0), j, i}};
  std::optional<depend::Violation> found = depend::find_violation({turned}, sweep.prover);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tensor, "y");
  EXPECT_NE(found->witness, "");
}

TEST(DependStatements, what_comes_before_what) {
  Case solver(solve, {{"L", "csr"}});
  const combine::IterationSpace &set = solver.program.leaves[0], &sum = solver.program.leaves[1],
                                &divide = solver.program.leaves[2];
  EXPECT_TRUE(depend::may_precede(set, sum, 0, solver.prover));
  EXPECT_FALSE(depend::may_precede(sum, set, 0, solver.prover));
  EXPECT_TRUE(depend::may_precede(divide, sum, 0, solver.prover)); // of an earlier row
  EXPECT_FALSE(depend::may_precede(divide, sum, 1, solver.prover));
}

TEST(DependStatements, entries_that_may_repeat_have_no_single_value) {
  const std::string power = "tensor A(n,n), y(n); for i in [0,n) { y(i) += abs(A(i,i)); }";
  Case once(power, {{"A", "csr"}});
  EXPECT_TRUE(depend::is_single_valued(once.program.leaves[0], once.prover));
  Case repeated(power, {{"A", "coo_dup"}});
  std::string witness;
  EXPECT_FALSE(depend::is_single_valued(repeated.program.leaves[0], repeated.prover, &witness));
  EXPECT_NE(witness, "");
}

/// Sums over a factor's entries are the value at the factor's sum; a divisor's entries are added up before.
TEST(DependStatements, what_is_linear_or_looked_for_needs_no_single_value) {
  const std::string loops = "tensor A(n,n), D(n,n), y(n); for i in [0,n) { for j in [0,n) { ";
  Case dividend(loops + "y(i) += A(i,j)/D(i,j); } }", {{"A", "coo_dup"}, {"D", "dense"}});
  EXPECT_TRUE(depend::is_single_valued(dividend.program.leaves[0], dividend.prover));
  Case divisor(loops + "y(i) += A(i,j)/D(i,j); } }", {{"A", "csr"}, {"D", "coo_dup"}});
  EXPECT_TRUE(depend::is_single_valued(divisor.program.leaves[0], divisor.prover));
  EXPECT_EQ(divisor.program.leaves[0].lookups.size(), 1u);
}

/// The two halves of a symmetric matrix have no element in common, nor have slots and what finds none; two
/// lists may.
TEST(DependStatements, pieces_may_meet) {
  const std::string loops = "tensor A(n,n), y(n); for i in [0,n) { for j in [0,n) { y(i) += abs(A(i,j)); } }",
                    lists = source_folder() + "/test/layouts/pieces.layout:two_lists";
  for (const auto &[layout, may_meet] :
       {std::pair<std::string, bool>{"symmetric_csr", false}, {"hyb<2>", false}, {lists, true}}) {
    Case pieces(loops, {{"A", layout}});
    const std::vector<combine::IterationSpace> &leaves = pieces.program.leaves;
    ASSERT_GE(leaves.size(), 2u);
    EXPECT_EQ(depend::may_meet(leaves[0], leaves[1], pieces.prover), may_meet) << layout;
  }
}

} // namespace
} // namespace unravel::test
