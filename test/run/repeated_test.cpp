// The same access several times in one product, A(i,j) * A(i,j): every layout, run by the interpreter on
// small inputs and compiled.
#include "combine/repeated.h"
#include "run/sweep.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::run::test;

namespace {

/// Each with layouts of the fitting order.
std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const auto *layouts :
       {&shipped_matrices(), &odd_matrices(), &literature_matrices(), &literature_squares()})
    for (const std::string &layout : *layouts) {
      all.push_back({"y(i) = A(i,j) * A(i,j)", {{"A", layout}}, {}, {}});
      all.push_back({"s = A(i,j) * A(i,j) * A(j,i)", {{"A", layout}}, {}, {}});
    }
  for (const std::string &layout : literature_tensors())
    all.push_back({"y(i) = A(i,j,k) * A(i,j,k) * x(k)", {{"A", layout}, {"x", "sv"}}, {}, {}});
  return all;
}

/// Has each tensor one access to its entries?
bool shares(const pipeline::Compilation &made) {
  return std::none_of(made.combination.leaves.begin(), made.combination.leaves.end(),
                      combine::repeats_access);
}

} // namespace

TEST(Repeated, every_layout_on_small_inputs) {
  std::mt19937_64 random(41);
  std::size_t runs = 0;
  for (const Problem &problem : problems()) {
    Interpreted kernel(problem);
    // Where a coordinate may have several entries, the product is that of their sums.
    const std::string &layout = problem.formats.at("A");
    static const std::set<std::string> with_repeats = {"coo_dup",   "@csr_any",  "@csr_weak",
                                                       "@csr_even", "@coo_rows", "@coo_weak"};
    const bool repeats = with_repeats.contains(layout);
    EXPECT_NE(shares(kernel.compilation()), repeats) << problem.text();
    EXPECT_TRUE(check_on_small_inputs(kernel, 8, false, random, runs));
    if (HasFatalFailure()) return;
  }
}

TEST(Repeated, a_sample_as_c) {
  std::mt19937_64 random(42);
  std::vector<Problem> few;
  for (const char *layout : {"csr", "coo_dup", "bcsr<2,3>", "symmetric_csr", "coo_unsorted"})
    few.push_back({"y(i) = A(i,j) * A(i,j)", {{"A", layout}}, {}, {}});
  EXPECT_GT(check_as_c(few, {1, 2}, random), few.size());
}
