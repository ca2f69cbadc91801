#pragma once

#include "run/problem.h"

#include <string>
#include <vector>

/// Reductions by every operator in every form of parallel loop.
namespace unravel::run::test {

/// Operators of the user's own, which lines begin with: from 0, from inf and from 1.
extern const std::string own_reductions;

/// A semiring for each operator that reduces, those of the user's own too.
extern const std::vector<std::string> reducing_semirings;

/// Lines in it whose reductions threads share, each with the schedule that has them do so; the last ones have
/// none.
std::vector<Problem> parallel_reductions(const std::string &semiring);

} // namespace unravel::run::test
