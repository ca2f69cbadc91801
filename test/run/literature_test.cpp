// The layouts of the literature in the kernels they are for, on small inputs, run by the interpreter.
#include "run/interpreted.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <set>

using namespace unravel;
using namespace unravel::run::test;

/// Every problem with such a layout where UNRAVEL_TEST_ALL=1, else a seeded sample that has each of them.
TEST(Literature, every_layout_on_small_inputs) {
  std::set<std::string> layouts{"coo4", "csf4"};
  for (const auto *names : {&literature_matrices(), &literature_squares(), &literature_tensors()})
    layouts.insert(names->begin(), names->end());
  std::vector<Problem> problems = all_problems();
  std::erase_if(problems, [&](const Problem &problem) {
    return std::none_of(problem.formats.begin(), problem.formats.end(),
                        [&](const auto &format) { return layouts.count(format.second) > 0; });
  });
  std::mt19937_64 random(8);
  std::size_t kernels = 0;
  std::map<std::string, std::size_t> runs;
  for (const Problem &problem : sample_of(problems, 50, 8)) {
    Interpreted kernel(problem);
    ++kernels;
    for (const Sizes &sizes : small_sizes(kernel.compilation().computation))
      for (const SmallCase &input : kernel.inputs(sizes, take_all() ? 40 : 15, random)) {
        loop::InterpretOptions options;
        options.iteration_budget = 10'000;
        options.permute_parallel = kernels % 2 == 1;
        if (!kernel.check(input, options)) return;
        for (const auto &format : problem.formats)
          ++runs[format.second];
      }
  }
  for (const std::string &layout : layouts)
    EXPECT_GT(runs[layout], 20u) << layout;
  std::cout << kernels << " kernels\n";
}
