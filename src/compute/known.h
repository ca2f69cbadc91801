#pragma once

#include "compute/computation.h"
#include "value/type.h"

#include <functional>

namespace unravel::compute {

/// What is known of a value: nothing at all; that there is none, as one of its parts isn't stored; the
/// number.
struct Known {
  enum class Kind { Unknown, Nothing, Number } kind = Kind::Unknown;
  value::Scalar number = {};

  static Known nothing() { return {Kind::Nothing}; }
  static Known of(value::Scalar number) { return {Kind::Number, number}; }
};

/// Of a value that is computed in the type, as the kernel computes it, where known(access) is so of each
/// access. What absorbs is known whatever the other arguments are: 0 times something that isn't known is 0,
/// as it is where nothing is stored. `types`: of tensors and scalars.
Known known_value(const Value &tree, value::Type type, const std::map<std::string, value::Type> &types,
                  const std::function<Known(const Access &)> &known);

} // namespace unravel::compute
