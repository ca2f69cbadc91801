#pragma once

#include "compute/computation.h"

#include <functional>
#include <vector>

/// Statements that are taken apart.
namespace unravel::combine {

/// A statement whose value isn't zero wherever a sparse factor isn't stored becomes several: what is dense,
/// then each product with sparse factors, added. `is_total`: is the access stored wherever the statement is
/// executed? `is_empty`: the target is zero before. Throws limits.
std::vector<compute::Statement> split(const compute::Statement &statement,
                                      const std::function<bool(const compute::Access &)> &is_total,
                                      bool is_empty);

} // namespace unravel::combine
