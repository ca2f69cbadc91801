#include "run/sweep.h"

#include <gtest/gtest.h>
#include <iostream>

namespace unravel::run::test {

bool is_limit(const report::Error &error) {
  return report::category_of(error.diagnostic().kind) == report::Category::Limit;
}

bool check_on_small_inputs(const Interpreted &kernel, std::size_t limit, bool permute,
                           std::mt19937_64 &random, std::size_t &runs) {
  for (const Sizes &sizes : small_sizes(kernel.compilation().computation))
    for (const SmallCase &input : kernel.inputs(sizes, take_all() ? 33 * limit : limit, random)) {
      loop::InterpretOptions options;
      options.iteration_budget = 10'000;
      options.permute_parallel = permute || runs % 2 == 1;
      options.seed = runs++;
      if (!kernel.check(input, options)) return false;
    }
  return true;
}

void check_each_on_small_inputs(const std::vector<Problem> &problems, std::size_t limit,
                                std::mt19937_64 &random) {
  std::size_t runs = 0;
  for (const Problem &problem : problems) {
    SCOPED_TRACE(problem.text());
    auto run_all = [&] { return check_on_small_inputs(Interpreted(problem), limit, false, random, runs); };
    EXPECT_NO_THROW(EXPECT_TRUE(run_all()));
    if (::testing::Test::HasFailure() && !take_all()) return;
  }
  std::cout << runs << " runs\n";
}

void leave_out_other_formats(std::vector<Problem> &problems) {
  for (Problem &problem : problems)
    std::erase_if(problem.formats, [&](const auto &format) {
      return problem.expression.find(format.first + "(") == std::string::npos;
    });
}

std::size_t check_as_c(const std::vector<Problem> &problems, const std::vector<int> &threads,
                       std::mt19937_64 &random) {
  std::size_t runs = 0;
  for (const Problem &problem : problems) {
    std::optional<Packer> packer;
    std::optional<Compiled> kernel;
    try {
      packer.emplace(problem);
      kernel.emplace(problem);
    } catch (const report::Error &error) {
      EXPECT_TRUE(is_limit(error)) << problem.text() << "\n" << error.what();
      continue;
    }
    for (const Sizes &sizes : sizes_of_all_kinds(packer->front().computation))
      for (int count : threads)
        if (std::optional<PackedCase> one = packer->draw(sizes, random)) {
          ++runs;
          if (!kernel->check(std::move(*one), count)) return runs;
        }
  }
  return runs;
}

} // namespace unravel::run::test
