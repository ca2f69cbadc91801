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
  double once = 0;         // milliseconds of converting operands first
};

struct Tuning {
  std::vector<Trial> trials; // the one that is taken by itself, then by falling estimates
  std::size_t best = 0;      // the fastest
  bool is_kept = false;      // it was measured by an earlier run, on data of the same shapes and counts
};

/// What is said while it is measured.
struct Progress {
  const Trial &trial;
  double seconds = 0; // since the data are there
};

struct Tuned {
  Tuning tuning;
  Report report; // of the winner
};

/// Reads the inputs, and measures on them the kernel that is taken by itself and those of the best plans,
/// with operands as they are and with one in another order of its modes, then the two fastest of these with
/// what may make them faster (candidates()), and the fastest with several of what did: as long as the seconds
/// last, no other one is begun behind that. Plans whose kernels are the same are measured once. The winner is
/// kept beside the compiled kernels, unless request.build says that nothing is, and run as run() does. Calls
/// `progress` behind each trial. `details`: as of pipeline::Request, for the winner. Throws as run() does,
/// and not_supported where the line has no plans, or the schedule asks for one.
Tuned tune(const Request &request, double seconds, bool details,
           const std::function<void(const Progress &)> &progress);

/// Statements of a schedule, each of which may make the kernel faster on these data: constant extents of
/// short dense modes, other finds, tiles where what the loops come to is larger than the caches, pieces of
/// equal work, BLAS. Some may be refused: who compiles them will see.
std::vector<std::string> candidates(const Report &report);

} // namespace unravel::run
