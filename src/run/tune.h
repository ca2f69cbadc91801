#pragma once

#include "run/session.h"

#include <functional>
#include <string>
#include <vector>

/// Plans of a product of several tensors, chosen by measuring (autotuning; Kanakagiri and Solomonik 2024).
namespace unravel::run {

/// A kernel that was measured.
struct Trial {
  std::string schedule;    // that asks for it: "plan 3"; empty: the one that is taken by itself
  double milliseconds = 0; // the least time of a few calls
};

struct Tuning {
  std::vector<Trial> trials; // the one that is taken by itself, then by falling estimates
  std::size_t best = 0;      // the fastest
  bool is_kept = false;      // it was measured by an earlier run, on data of the same shapes and counts
};

/// Measures the kernel that is taken by itself and those of the best plans, as long as the seconds last: no
/// other one is begun behind that. Plans whose kernels are the same are measured once. The winner is kept
/// beside the compiled kernels, unless request.build says that nothing is. Calls `progress` behind each
/// trial. Inputs are read anew for each. Throws as run() does, and not_supported where the line has no plans,
/// or the schedule asks for one.
Tuning tune(const Request &request, double seconds, const std::function<void(const Trial &)> &progress);

/// The request for the winner.
Request tuned(Request request, const Tuning &tuning);

} // namespace unravel::run
