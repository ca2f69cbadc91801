#pragma once

#include "value/type.h"

namespace unravel::value {

/// Does a double stand for it, so that converted back it is the same? Integers of 64 bits do up to 2^53, some
/// beyond, and the greatest one, which any larger number becomes.
inline bool is_exact_as_double(const Scalar &number) {
  return !is_integer(number.type) || Scalar::of(number.number(), number.type).integer == number.integer;
}

/// As it is written in full.
inline std::string integer_text(const Scalar &number) {
  return number.type == Type::UInt64 ? std::to_string(static_cast<std::uint64_t>(number.integer))
                                     : std::to_string(number.integer);
}

} // namespace unravel::value
