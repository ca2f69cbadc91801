#pragma once

#include "run/session.h"

#include <string>
#include <vector>

/// What `run --tune` tries beside plans.
namespace unravel::run {

/// Statements of a schedule, each of which may make the kernel faster on these data: constant extents of
/// short dense modes, other finds, tiles where what the loops come to is larger than the caches, pieces of
/// equal work, BLAS. Some may be refused: who compiles them will see.
std::vector<std::string> candidates(const Report &report);

} // namespace unravel::run
