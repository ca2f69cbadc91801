// Sums that are kept in a local tensor and then multiplied with what doesn't change in them: every layout,
// run by the interpreter on small inputs, whose values include infinities, and compiled.
#include "run/sweep.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::run::test;

namespace {

/// Each with layouts of the fitting order.
std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const auto *layouts : {&shipped_matrices(), &literature_matrices()})
    for (const std::string &layout : *layouts)
      for (const char *text : {"Y(i,q,r) = A(i,k) * C(i,q) * D(k,r)", "Y(q,r) = A(i,k) * C(i,q) * D(k,r)"})
        all.push_back({text, {{"A", layout}}, {}, {}});
  std::vector<std::string> tensors = literature_tensors();
  tensors.push_back("csf3");
  for (const std::string &layout : tensors)
    for (const char *text :
         {"Y(i,q,r) = A(i,j,k) * C(j,q) * D(k,r)", "Y(j,q,r) = A(i,j,k) * C(i,q) * D(k,r)"})
      all.push_back({text, {{"A", layout}}, {}, {}});
  return all;
}

bool has_hoists(const Interpreted &kernel) {
  const std::vector<pipeline::Leaf> &leaves = kernel.compilation().leaves;
  return std::any_of(leaves.begin(), leaves.end(),
                     [](const pipeline::Leaf &leaf) { return !leaf.plan.hoists().empty(); });
}

} // namespace

TEST(Hoists, every_layout_on_small_inputs) {
  std::mt19937_64 random(61);
  std::size_t runs = 0, hoisted = 0;
  for (const Problem &problem : problems()) {
    Interpreted kernel(problem);
    hoisted += has_hoists(kernel);
    ASSERT_TRUE(check_on_small_inputs(kernel, 6, false, random, runs)) << problem.text();
  }
  EXPECT_GE(hoisted, 5u);
  std::cout << hoisted << " kernels with sums in locals, " << runs << " runs\n";
}

TEST(Hoists, a_sample_as_c) {
  std::mt19937_64 random(62);
  std::vector<Problem> few;
  for (const char *text : {"Y(i,q,r) = A(i,j,k) * C(j,q) * D(k,r)", "Y(j,q,r) = A(i,j,k) * C(i,q) * D(k,r)"})
    few.push_back({text, {{"A", "csf3"}}, {}, {}});
  few.push_back({"Y(i,q,r,s) = A(i,j,k,l) * C(j,q) * D(k,r) * E(l,s)", {{"A", "csf4"}}, {}, {}});
  few.push_back({"Y(q,r) = A(i,k) * C(i,q) * D(k,r)", {{"A", "csr"}}, {}, {}});
  EXPECT_GT(check_as_c(few, {1, 2}, random), few.size());
}
