#pragma once

#include "value/operators.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

/// Values of the reference evaluator, which may be integers.
namespace unravel::check {

struct Value {
  long double value = 0; // of a complex number the real part
  /// The size that its rounding error is in proportion to: 0 where it is exact, as an operand's element.
  double magnitude = 0;
  long double imaginary = 0;
  /// Of an integer itself (as value::Scalar has it): some machines' long double rounds it.
  std::int64_t integer = 0;
  /// It is a sum of entries of which some are 0, or of another sign than others: products with them, added
  /// up, are NaN where the other factors are infinite.
  bool cancels = false;

  /// Else nothing can be said about errors.
  bool is_known() const { return std::isfinite(magnitude); }
  double size() const {
    return static_cast<double>(imaginary == 0 ? std::fabs(value) : std::hypot(value, imaginary));
  }
};

/// What rounding errors in the type are taken to be, in proportion to magnitudes.
inline double rounding_of(value::Type type) {
  return is_single(type) ? 1e-5 : 1e-12;
}

/// An integer has no rounding errors, but those of what it was made of may decide which one it is.
inline Value of_integer(const value::Scalar &number, bool is_known = true) {
  const bool is_unsigned = number.type == value::Type::UInt64;
  return {is_unsigned ? static_cast<long double>(static_cast<std::uint64_t>(number.integer))
                      : static_cast<long double>(number.integer),
          is_known ? 0 : std::numeric_limits<double>::infinity(), 0, number.integer};
}

/// An integer, as one of that integer type.
inline value::Scalar exactly(const Value &integer, value::Type type) {
  return value::converted({value::Type::Int64, 0, integer.integer}, type);
}

/// As that type of floating-point numbers has it.
inline long double rounded(long double number, value::Type type) {
  return is_single(type) ? static_cast<float>(number) : static_cast<double>(number);
}

/// The smallest positive number of the type that has all its digits.
inline double smallest_of(value::Type type) {
  return is_single(type) ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
}

/// The number in the type's range: infinite where it is too large, with fewer digits where it is too small.
/// Other numbers are not rounded.
inline long double held(long double number, value::Type type) {
  const long double own = rounded(number, type);
  return std::isinf(own) || std::fabs(number) < smallest_of(type) ? own : number;
}

/// The size of a product that its rounding error is in proportion to, at least smallest_of(type).
inline double size_of_product(double one, double other, value::Type type) {
  return one == 0 || other == 0 ? 0 : std::fmax(one * other, smallest_of(type));
}

/// A number in the text, as one of that type.
inline Value written(double number, value::Type type) {
  if (value::is_integer(type)) return of_integer(value::Scalar::written(number, type));
  return {rounded(number, type), 0, 0, value::Scalar::written(number).integer};
}

/// What an operator begins with, or a fill, as one of that type.
inline Value constant(double number, value::Type type) {
  if (value::is_integer(type)) return of_integer(value::Scalar::of(number, type));
  return {rounded(number, type)};
}

/// An integer, also a sum of entries, in what is computed in that type.
inline Value as_read(const Value &integer, value::Type type) {
  if (value::is_integer(type)) return of_integer(exactly(integer, type), integer.is_known());
  return {integer.value, std::fmax(std::fabs(static_cast<double>(integer.value)), integer.magnitude)};
}

/// From one type to another, as C does. Of a sum or a product the one rounding error in the type is kept.
inline Value converted(const Value &value, value::Type from, value::Type to) {
  if (from == to) return value;
  if (value::is_integer(from) && value::is_integer(to))
    return of_integer(exactly(value, to), value.is_known());
  const auto as = [&](long double part) {
    return value::is_integer(from) ? rounded(part, to) : rounded(rounded(part, from), to);
  };
  if (!value::is_integer(to))
    return {as(value.value), value.magnitude, value::is_complex(to) ? as(value.imaginary) : 0};
  const bool is_imaginary = to == value::Type::Bool && value.imaginary != 0;
  Value made =
      of_integer(value::Scalar::of(is_imaginary ? 1 : static_cast<double>(rounded(value.value, from)), to));
  made.magnitude = value.magnitude;
  return made;
}

/// What an operator makes of values that are computed in that type: of integers exactly.
Value combined(const value::Operator &op, std::span<const Value> arguments, value::Type type);

} // namespace unravel::check
