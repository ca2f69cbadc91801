#pragma once

#include "compute/computation.h"

/// Where local tensors begin that have no place for each element.
namespace unravel::combine {

/// Takes all entries out of the local that the statement writes, in front of its own loops: those behind the
/// first `around`.
compute::Statement emptied_before(const compute::Statement &statement, std::size_t around);

/// `let w(j) = 0`: does the statement set each element of its target, which has these extents, to zero?
bool sets_all_to_zero(const compute::Statement &statement, std::size_t around,
                      const std::vector<term::Term> &extents);

} // namespace unravel::combine
