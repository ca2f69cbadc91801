// Kernels that are made when the budget is spent before it begins: right, and the user is told.
#include "run/sweep.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::run::test;

namespace {

/// So little that it is spent before anything is tried, on every machine.
constexpr double nothing = 1e-9;

bool has_notice(const pipeline::Compilation &made) {
  return std::any_of(made.warnings.begin(), made.warnings.end(), [](const report::Diagnostic &warning) {
    return warning.kind == report::Kind::budget_spent;
  });
}

} // namespace

TEST(Budget, kernels_are_right_without_any) {
  std::mt19937_64 random(51);
  std::size_t runs = 0, notices = 0;
  std::vector<Problem> problems = sample_of(all_problems(), 60, 51);
  for (Problem &problem : with_alternatives())
    problems.push_back(std::move(problem));
  for (Problem &problem : problems) {
    problem.budget = nothing;
    Interpreted kernel(problem);
    notices += has_notice(kernel.compilation());
    EXPECT_EQ(has_notice(kernel.compilation()), !kernel.compilation().not_tried.empty()) << problem.text();
    EXPECT_TRUE(check_on_small_inputs(kernel, 4, false, random, runs));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(notices, problems.size() / 2);
}

TEST(Budget, what_is_not_tried) {
  Problem problem{"y(i) = A(i,j) * x(j)", {{"A", "csr"}, {"x", "sv"}}};
  EXPECT_TRUE(pipeline::compile(problem.request()).not_tried.empty());
  problem.budget = nothing;
  const pipeline::Compilation made = pipeline::compile(problem.request());
  for (const char *part : {"better ways to find `x.p` (", "other plans", "which loops may run in parallel"})
    EXPECT_TRUE(std::any_of(made.not_tried.begin(), made.not_tried.end(), [&](const std::string &line) {
      return line.starts_with(part);
    })) << part;
  ASSERT_TRUE(has_notice(made));
  EXPECT_NE(made.warnings.back().message.find("budget of 1e-09 s ran out"), std::string::npos);
  EXPECT_NE(made.warnings.back().hint.find("--budget 0"), std::string::npos);
  EXPECT_FALSE(made.leaves.at(0).parallel);
  EXPECT_EQ(made.leaves.at(0).plan.finds.levels.at(0).method(), plan::Method::Scan);
}

/// What the user asks for is decided, however long it takes.
TEST(Budget, requests_are_answered) {
  Problem problem{"y(i) = A(i,j) * x(j)", {{"A", "csr"}, {"x", "sv"}}};
  problem.budget = nothing;
  problem.schedules = {"parallel i; find x by binary"};
  const pipeline::Compilation made = pipeline::compile(problem.request());
  EXPECT_TRUE(made.leaves.at(0).parallel);
  EXPECT_EQ(made.leaves.at(0).plan.finds.levels.at(0).method(), plan::Method::Binary);
}

/// A program's order is tested against the source's, also where the layout wants another one.
TEST(Budget, programs_keep_their_dependences) {
  std::mt19937_64 random(52);
  std::vector<Problem> problems;
  for (const char *layout : {"csr_lower", "lower_diagonal"})
    problems.push_back({"tensor L(n,n), b(n), x(n); for i in [0,n) { x(i) = b(i); for j in [0,i) { x(i) -= "
                        "L(i,j)*x(j); } }",
                        {{"L", layout}}});
  std::size_t runs = 0;
  for (Problem &problem : problems) {
    problem.budget = nothing;
    EXPECT_TRUE(check_on_small_inputs(Interpreted(problem), 8, false, random, runs));
  }
}
