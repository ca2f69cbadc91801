#pragma once

#include "value/operators.h"

#include <cmath>
#include <cstdint>
#include <vector>

/// Values of the reference evaluator, which may be integers.
namespace unravel::check {

struct Value {
  long double value = 0; // of a complex number the real part
  double magnitude = 0;
  long double imaginary = 0;

  /// Else nothing can be said about errors.
  bool is_known() const { return std::isfinite(magnitude); }
  double size() const {
    return static_cast<double>(imaginary == 0 ? std::fabs(value) : std::hypot(value, imaginary));
  }
};

/// Of single precision, perhaps in both parts?
inline bool is_single(value::Type type) {
  return value::type_of_parts(type) == value::Type::Float32;
}

/// What rounding errors in the type are taken to be, in proportion to magnitudes.
inline double rounding_of(value::Type type) {
  return is_single(type) ? 1e-5 : 1e-12;
}

/// A long double holds any integer of 64 bits.
inline value::Scalar exactly(long double number, value::Type type) {
  if (!value::is_integer(type) || !(std::fabs(number) < 0x1p64L) || std::trunc(number) != number)
    return value::Scalar::of(static_cast<double>(number), type);
  const auto size = static_cast<std::uint64_t>(std::fabs(number));
  return value::converted({value::Type::Int64, 0, static_cast<std::int64_t>(number < 0 ? 0 - size : size)},
                          type);
}

inline long double number_of(const value::Scalar &number) {
  if (!value::is_integer(number.type)) return number.real;
  if (number.type == value::Type::UInt64) return static_cast<std::uint64_t>(number.integer);
  return number.integer;
}

/// What is too large for single precision is infinite there; other numbers are not rounded.
inline long double held(long double number, value::Type type) {
  const auto single = static_cast<float>(number);
  return is_single(type) && std::isinf(single) ? single : number;
}

/// A number in the text, as one of that type.
inline Value written(double number, value::Type type) {
  return {is_single(type) ? static_cast<float>(number) : number, std::fabs(number)};
}

/// From one type to another, as C does. Of a sum or a product the one rounding error in the type is kept
/// where it is cut to an integer.
inline Value converted(const Value &value, value::Type from, value::Type to) {
  if (!value::is_integer(to))
    return {held(value.value, to),
            value::is_integer(from) && value.is_known() ? std::fabs(static_cast<double>(value.value))
                                                        : value.magnitude,
            value::is_complex(to) ? held(value.imaginary, to) : 0};
  if (to == value::Type::Bool && value.imaginary != 0) return {1, value.magnitude};
  if (from == to) return value;
  if (value::is_integer(from)) return {number_of(exactly(value.value, to)), value.magnitude};
  const double rounded = is_single(from) ? static_cast<float>(value.value) : static_cast<double>(value.value);
  return {number_of(value::Scalar::of(rounded, to)), value.magnitude};
}

/// What an operator makes of values that are computed in that type: of integers exactly.
Value combined(const value::Operator &op, const std::vector<Value> &arguments, value::Type type);

} // namespace unravel::check
