// Iteration spaces transformed at random, run by the interpreter on small inputs: whatever a schedule makes
// of the loops, the result is that of the expression.
#include "run/sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iostream>

using namespace unravel;
using namespace unravel::run::test;

namespace {

template <class T> const T &one_of(const std::vector<T> &of, std::mt19937_64 &random) {
  return of[random() % of.size()];
}

/// Some transformations of the space's variables and of what these add, and maybe an order that begins with
/// one.
std::string random_schedule(const combine::IterationSpace &space, std::mt19937_64 &random) {
  std::vector<std::string> variables = space.coordinates, added;
  variables.insert(variables.end(), space.positions.begin(), space.positions.end());
  std::string text;
  for (std::size_t left = 1 + random() % 3; left > 0; --left) {
    const std::string of = one_of(variables, random), by = one_of(space.coordinates, random);
    std::string how;
    switch (random() % 5) {
    case 0:
    case 1: how = "tile"; break;
    case 2: how = "split"; break;
    case 3: how = by == of ? "shift" : "skew"; break;
    default: how = "shift";
    }
    std::string name = of + "." + how;
    if (std::find(variables.begin(), variables.end(), name) != variables.end()) continue;
    std::string argument = how == "skew"    ? fmt::format("{}*{}", 1 + random() % 2, by)
                           : how == "shift" ? fmt::format("{}", random() % 3)
                                            : fmt::format("{}", 1 + random() % 3);
    text += fmt::format("{} {} by {}; ", how, of, argument);
    variables.push_back(name);
    added.push_back(name);
  }
  if (!added.empty() && random() % 2 == 0) text += "order " + one_of(added, random);
  return text;
}

} // namespace

/// What bounds a loop further in doesn't bound it yet: k <= i, of which k >= 0 is known with an entry; and a
/// row of blocks whose number can be computed before a loop in between, which has no iterations where it is
/// -1. A search, too, stays in the extents of what it reads.
TEST(Transformations, loops_stay_in_extents) {
  std::mt19937_64 random(33);
  std::size_t runs = 0;
  const char *product = "C(i,j) = A(i,k) * B(k,j)";
  const std::vector<Problem> problems = {
      {product, {{"A", "csr_lower"}, {"B", "dia"}}, {"skew C.b by 2*j; order C.b.skew"}, {}},
      {product,
       {{"A", "bcsc<2,3>"}, {"B", "ubcsr<2,3>"}},
       {"tile A.c by 2; tile k by 1; tile A.c.tile by 2"},
       {}},
      // A search for the row of blocks of k, where k < N is tested behind it.
      {product,
       {{"A", "dia"}, {"B", "bcsr<2,3>"}},
       {"order i, j, A.d, C.a, A.r, B.p, C.b, B.c, B.r, B.b, k"},
       {}},
      // The diagonal has no rows of entries, nor tiles of these, to be ordered without tiles of j.
      {product,
       {{"A", "lower_diagonal"}, {"B", "bitmap"}},
       {"tile A.r by 3; tile j by 1; order A.r.tile"},
       {}}};
  for (const Problem &problem : problems) {
    Interpreted kernel(problem);
    EXPECT_TRUE(check_on_small_inputs(kernel, 40, false, random, runs));
  }
}

TEST(Transformations, change_no_result) {
  std::mt19937_64 random(31);
  std::size_t kernels = 0, runs = 0, without_order = 0;
  std::vector<Problem> problems = sample_of(all_problems(), 40, 31);
  std::vector<Problem> literature = literature_sample(40, 32);
  problems.insert(problems.end(), literature.begin(), literature.end());
  for (Problem &problem : problems) {
    combine::IterationSpace space;
    {
      pipeline::Compilation plain = pipeline::compile(problem.request());
      if (plain.combination.leaves.empty() || plain.plan) continue; // a plan's loops aren't the line's
      space = plain.combination.leaves.front();
    }
    problem.schedules = {random_schedule(space, random)};
    problem.untiled_for_one_tile = random() % 2 == 0;
    auto run_all = [&] {
      Interpreted kernel(problem);
      ++kernels;
      for (const Sizes &sizes : small_sizes(kernel.compilation().computation))
        for (const SmallCase &input : kernel.inputs(sizes, 6, random)) {
          loop::InterpretOptions options;
          options.iteration_budget = 100'000;
          options.permute_parallel = kernels % 2 == 1;
          if (!kernel.check(input, options)) return;
          ++runs;
        }
    };
    try {
      run_all();
    } catch (const report::Error &error) {
      // Not every variable can be outermost: i, where only the entries say which i there are.
      bool allowed = error.diagnostic().kind == report::Kind::not_bounded_here ||
                     error.diagnostic().kind == report::Kind::no_order;
      EXPECT_TRUE(allowed) << problem.text() << "\n" << error.what();
      ++without_order;
    }
    if (HasFailure()) return;
  }
  std::cout << kernels << " kernels, " << runs << " runs; " << without_order << " without an order\n";
  EXPECT_GT(runs, kernels * 20);
  EXPECT_LT(without_order * 5, problems.size());
}
