#pragma once

#include "value/tree.h"

namespace unravel::value {

/// The value, where operators that choose an argument have none but that: the leaves that are left decide
/// what it is.
template <class Value> Value chosen(const Value &value) {
  const auto *made = std::get_if<typename Value::Apply>(&value.kind);
  if (!made) return value;
  switch (made->op.kind()) {
  case Operator::First: return chosen(made->arguments[0]);
  case Operator::Second: return chosen(made->arguments[1]);
  case Operator::Pair: return {Number{1}};
  default: return map_parts(value, [](const Value &part) { return chosen(part); });
  }
}

} // namespace unravel::value
