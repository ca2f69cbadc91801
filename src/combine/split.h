#pragma once

#include "compute/computation.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

/// Statements that are taken apart.
namespace unravel::combine {

/// A statement whose value isn't zero wherever a sparse factor isn't stored becomes several: what is dense,
/// then each product with sparse factors, added. `is_total`: is the access stored wherever the statement is
/// executed? `is_empty`: the target is zero before. Throws limits.
std::vector<compute::Statement> split(const compute::Statement &statement,
                                      const std::function<bool(const compute::Access &)> &is_total,
                                      bool is_empty);

/// The roles of a statement's accesses in its value, by name. A mask's is Other: several entries of one
/// coordinate would count as one.
std::map<std::string, value::Role> roles_in(const compute::Statement &statement);

/// Where there is nothing to do unless one of the optional accesses is stored, a statement for each of them,
/// in which those before it aren't: of max(A, B) one where A is, and one where B is and A isn't. Each point
/// has one of them. Else the statement. Precondition: the target is zero before, or the statement reduces.
std::vector<compute::Statement>
unite(const compute::Statement &statement,
      const std::function<bool(const compute::Access &, value::Role)> &is_optional);

} // namespace unravel::combine
