#pragma once

#include "compute/computation.h"

#include <optional>

/// Where local tensors begin that have no place for each element.
namespace unravel::combine {

/// Takes all entries out of the local that the statement writes, in front of its own loops: those behind the
/// first `around`.
compute::Statement emptied_before(const compute::Statement &statement, std::size_t around);

/// `let w(j) = 0`: the number to which the statement sets each element of its target, which has these
/// extents.
std::optional<double> sets_all_to(const compute::Statement &statement, std::size_t around,
                                  const std::vector<term::Term> &extents);

/// May elements of the local that aren't stored stand for that number? It is the identity of all that is done
/// to them, and where they are read nothing is the same as that.
bool stands_for_nothing(double number, const std::string &local, const compute::Program &program);

} // namespace unravel::combine
