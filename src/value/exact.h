#pragma once

#include "value/type.h"

#include <complex>
#include <optional>

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

/// An integer of 64 bits?
inline bool is_wide_integer(Type type) {
  return type == Type::Int64 || type == Type::UInt64;
}

/// The type in which values of that type go by coordinates, and are added up: f64, complex128, int64, or, of
/// uint64, that itself.
inline Type widest(Type type) {
  if (is_complex(type)) return Type::Complex128;
  if (is_floating(type)) return Type::Float64;
  return type == Type::UInt64 ? type : Type::Int64;
}

/// Doubles round integers of 64 bits beyond 2^53. Among entries they go as low + 2^32 high then, two doubles:
/// each half is exact, and so are their sums. Both have the number's sign, so that a number below 2^32 is its
/// own low half: a fill is, too.
std::complex<double> halves_of(const Scalar &number);
/// The integer; of an infinite low half the type's greatest or least one. None: the type doesn't hold it, or
/// it is no integer.
std::optional<Scalar> whole_of(std::complex<double> halves, Type type);

} // namespace unravel::value
