#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The types of numbers in arrays, and what C makes of several in one expression.
namespace unravel::value {

enum class Type {
  Int32,
  Int64,
  Float32,
  Float64,
  Bool,
  Int8,
  Int16,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Complex64,
  Complex128,
  Bit, // 32 to a word, in a kernel's workspace alone: no type of a tensor's values
};
inline constexpr std::size_t type_count = 14;

struct TypeFacts {
  Type type;
  std::string_view word;   // as users write it: "f64"
  std::string_view name;   // in the loop IR and in names of C: "float64"
  std::string_view c_name; // of an element in memory: "double"
  std::string_view numpy;  // "f8"
  std::size_t bytes;
  bool is_integer; // bool too
  bool is_signed;
  bool is_complex = false;
};

const TypeFacts &facts_of(Type type);
extern const std::array<TypeFacts, type_count> all_types;

/// The type of a tensor's values that users call so, or none.
std::optional<Type> type_called(std::string_view word);
/// "f64, f32, bool, ...": for messages.
std::string type_words();

inline bool is_complex(Type type) {
  return type == Type::Complex64 || type == Type::Complex128;
}
/// f32 or f64.
inline bool is_floating(Type type) {
  return type == Type::Float32 || type == Type::Float64;
}
inline bool is_integer(Type type) {
  return !is_floating(type) && !is_complex(type);
}
/// Of the real and of the imaginary part; of a real type itself.
inline Type type_of_parts(Type type) {
  return type == Type::Complex64 ? Type::Float32 : type == Type::Complex128 ? Type::Float64 : type;
}
/// Of single precision, perhaps in both parts?
inline bool is_single(Type type) {
  return type_of_parts(type) == Type::Float32;
}
/// The complex type with parts of that type, or with ones that hold it.
inline Type complex_of(Type parts) {
  return parts == Type::Float32 || parts == Type::Complex64 ? Type::Complex64 : Type::Complex128;
}

/// Every integer of at most so many bits is one of the type's.
int bits_of(Type type);
/// As C texts name them: "INT32_MAX", "INT32_MIN", "0".
std::string greatest_text(Type type);
std::string least_text(Type type);
/// Does the type hold that number? Of floating point ones any.
bool holds(Type type, double number);

/// What C computes with in place of an operand of that type, by its integer promotions.
Type promoted(Type type);
/// What C computes with, given two operands: its usual arithmetic conversions.
Type common(Type one, Type other);
/// The type without a sign that has as many bits as what C computes with.
Type without_sign(Type type);

/// A number of any type, exactly: of an integer the value modulo 2^64, extended from the type; of a complex
/// number both parts.
struct Scalar {
  Type type = Type::Float64;
  double real = 0; // of Float32 too, rounded to it
  std::int64_t integer = 0;
  double imaginary = 0;

  static Scalar of(double number, Type type); // as converted() converts it; infinities are the type's ends
  /// As it stands in a text: an integer where it is whole.
  static Scalar written(double number);
  /// The same in that type; infinities are the type's ends.
  static Scalar written(double number, Type type);
  /// Of a complex number the real part.
  double number() const;
  bool is_zero() const { return is_integer(type) ? integer == 0 : real == 0 && imaginary == 0; }
};

/// As C converts it, where C says what that is: integers wrap around, anything but 0 is the bool 1, single
/// precision rounds, the imaginary part is dropped. What is too large for an integer becomes its greatest
/// one, a NaN 0.
Scalar converted(Scalar number, Type type);

} // namespace unravel::value
