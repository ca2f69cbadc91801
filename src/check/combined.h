#pragma once

#include "check/typed_value.h"
#include "value/operators.h"

#include <vector>

namespace unravel::check {

/// What an operator makes of values that are computed in that type: of integers exactly.
Value combined(const value::Operator &op, const std::vector<Value> &arguments, value::Type type);

} // namespace unravel::check
