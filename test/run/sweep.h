#pragma once

#include "report/diagnostic.h"
#include "run/compiled.h"
#include "run/interpreted.h"

#include <random>
#include <vector>

/// Programs in many layouts, some of which refuse them.
namespace unravel::run::test {

/// Refusals that a layout may be the reason for: a limit that says so.
bool is_limit(const report::Error &error);

/// Runs the kernel on `limit` inputs of each of the small sizes (33 times as many where UNRAVEL_TEST_ALL=1);
/// `runs`, which grows, is each run's seed. `permute`: the iterations of parallel
/// loops in any order in each run, else in every second one. False where the current test failed.
bool check_on_small_inputs(const Interpreted &kernel, std::size_t limit, bool permute,
                           std::mt19937_64 &random, std::size_t &runs);

/// The same for each problem, in every second run in any order, up to the first that fails; prints the number
/// of runs.
void check_each_on_small_inputs(const std::vector<Problem> &problems, std::size_t limit,
                                std::mt19937_64 &random);

/// Of each problem the formats of tensors that it hasn't go.
void leave_out_other_formats(std::vector<Problem> &problems);

/// Compiles each problem, unless it is refused by a limit, and calls it on random data of all kinds of sizes.
/// Returns the number of calls; ends at the first that fails.
std::size_t check_as_c(const std::vector<Problem> &problems, const std::vector<int> &threads,
                       std::mt19937_64 &random);

} // namespace unravel::run::test
