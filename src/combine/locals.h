#pragma once

#include "compute/computation.h"

#include <optional>

/// Where local tensors begin that have no place for each element.
namespace unravel::combine {

/// Takes all entries out of the local that the statement writes, in front of its own loops: those behind the
/// first `around`.
compute::Statement emptied_before(const compute::Statement &statement, std::size_t around);
/// The statement in place of one that sets all of the local, but not as its first: in each round.
compute::Statement emptied_instead(const compute::Statement &statement, std::size_t around);

/// `let w(j) = 0`: the number to which the statement sets each element of its target, which has these
/// extents.
std::optional<double> sets_all_to(const compute::Statement &statement, std::size_t around,
                                  const std::vector<term::Term> &extents);

/// May elements of the local that aren't stored stand for that number? It is the identity of all that is done
/// to them, and where they are read nothing is the same as that.
bool stands_for_nothing(double number, const std::string &local, const compute::Program &program);

/// The number to which it sets all of the local, where elements that aren't stored may stand for it.
std::optional<double> sets_to_nothing(const compute::Statement &statement, std::size_t around,
                                      const compute::Program &program);
/// Does the statement, which sets all of a local, stand in more loops than the local?
bool is_inside(const compute::Statement &statement, std::size_t around);

/// Is it a `let` of a local whose elements something else sets?
bool is_set_otherwise(const compute::Statement &statement, const compute::Program &program);

} // namespace unravel::combine
