#pragma once

#include "compute/computation.h"

namespace unravel::compute {

/// The parts of a statement's value, which its target is reduced by. Where products are made by that
/// operator, as in `in max.max`, the value is one product, which is absent where a part of it is. The terms
/// of a line are statements of their own: a sum that is left in one is a bracket.
inline std::vector<Value> reduced_parts(const Statement &statement) {
  const bool is_bracket = statement.is_free && statement.by == value::Operator::Add;
  if (is_bracket || statement.product == statement.by) return {statement.value};
  return value::parts_by(statement.by, statement.value);
}

} // namespace unravel::compute
