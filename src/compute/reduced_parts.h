#pragma once

#include "compute/computation.h"

namespace unravel::compute {

/// The parts of a statement's value, which its target is reduced by. Where products are made by that
/// operator, as in `in max.max`, the value is one product, which is absent where a part of it is.
inline std::vector<Value> reduced_parts(const Statement &statement) {
  if (statement.product == statement.by) return {statement.value};
  return value::parts_by(statement.by, statement.value);
}

} // namespace unravel::compute
