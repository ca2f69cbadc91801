#pragma once

#include "compute/computation.h"

#include <functional>
#include <vector>

namespace unravel::check {

/// Accesses of which one must be stored, or the statement adds nothing: a factor; both terms of a bracket.
using Support = std::vector<const compute::Access *>;

/// Finds the supports of a statement, which outlives them. No access is in two. `is_sparse`: may elements of
/// the access not be stored?
std::vector<Support> supports_of(const compute::Statement &statement,
                                 const std::function<bool(const compute::Access &)> &is_sparse);

} // namespace unravel::check
