#pragma once

#include "pipeline.h"

#include <string>
#include <vector>

namespace unravel::pipeline {

/// Says of which results a sum of integers of 8 or 16 bits may not fit in int32, the type that C adds them
/// in, and the result has where nothing says another. The bound on a sum follows from the operands' types and
/// the extents of what is summed over, which `request.counts` has; nothing is said where it has none.
std::vector<std::string> notes_on_narrow_sums(const Request &request, const Front &front);

} // namespace unravel::pipeline
