// The layouts of the literature in the kernels they are for, on small inputs, run by the interpreter.
#include "run/interpreted.h"

#include <gtest/gtest.h>
#include <iostream>

using namespace unravel;
using namespace unravel::run::test;

/// Every problem with such a layout where UNRAVEL_TEST_ALL=1, else a seeded sample that has each of them.
TEST(Literature, every_layout_on_small_inputs) {
  std::mt19937_64 random(8);
  std::size_t kernels = 0;
  std::map<std::string, std::size_t> runs;
  for (const Problem &problem : literature_sample(50, 8)) {
    ++kernels;
    auto run_all = [&] {
      Interpreted kernel(problem);
      for (const Sizes &sizes : small_sizes(kernel.compilation().computation))
        for (const SmallCase &input : kernel.inputs(sizes, take_all() ? 40 : 15, random)) {
          loop::InterpretOptions options;
          options.iteration_budget = 10'000;
          options.permute_parallel = kernels % 2 == 1;
          if (!kernel.check(input, options)) return;
          for (const auto &format : problem.formats)
            ++runs[format.second];
        }
    };
    EXPECT_NO_THROW(run_all()) << problem.text();
    if (HasFailure() && !take_all()) return;
  }
  for (const auto *layouts :
       {&literature_matrices(), &literature_squares(), &literature_tensors(), &literature_order_4()})
    for (const std::string &layout : *layouts)
      EXPECT_GE(runs[layout], 10u) << layout;
  std::cout << kernels << " kernels\n";
}
