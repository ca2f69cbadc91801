#include "value/type.h"

#include <cmath>

namespace unravel::value {

const std::array<TypeFacts, type_count> all_types = {{
    {Type::Int32, "int32", "int32", "int32_t", "i4", 4, true, true},
    {Type::Int64, "int64", "int64", "int64_t", "i8", 8, true, true},
    {Type::Float32, "f32", "float32", "float", "f4", 4, false, true},
    {Type::Float64, "f64", "float64", "double", "f8", 8, false, true},
    {Type::Bool, "bool", "bool", "bool", "b1", 1, true, false},
    {Type::Int8, "int8", "int8", "int8_t", "i1", 1, true, true},
    {Type::Int16, "int16", "int16", "int16_t", "i2", 2, true, true},
    {Type::UInt8, "uint8", "uint8", "uint8_t", "u1", 1, true, false},
    {Type::UInt16, "uint16", "uint16", "uint16_t", "u2", 2, true, false},
    {Type::UInt32, "uint32", "uint32", "uint32_t", "u4", 4, true, false},
    {Type::UInt64, "uint64", "uint64", "uint64_t", "u8", 8, true, false},
    {Type::Complex64, "complex64", "complex64", "float _Complex", "c8", 8, false, true, true},
    {Type::Complex128, "complex128", "complex128", "double _Complex", "c16", 16, false, true, true},
    {Type::Bit, "", "bit", "uint32_t", "", 4, true, false},
}};

const TypeFacts &facts_of(Type type) {
  return all_types[static_cast<std::size_t>(type)];
}

std::optional<Type> type_called(std::string_view word) {
  for (const TypeFacts &facts : all_types)
    if (facts.word == word && !word.empty()) return facts.type;
  return std::nullopt;
}

std::string type_words() {
  std::string words;
  for (const TypeFacts &facts : all_types)
    if (!facts.word.empty()) words += (words.empty() ? "" : ", ") + std::string(facts.word);
  return words;
}

int bits_of(Type type) {
  const TypeFacts &facts = facts_of(type);
  return type == Type::Bool ? 1 : static_cast<int>(8 * facts.bytes) - (facts.is_signed ? 1 : 0);
}

std::string greatest_text(Type type) {
  if (type == Type::Bool) return "1";
  const TypeFacts &facts = facts_of(type);
  return (facts.is_signed ? "INT" : "UINT") + std::to_string(8 * facts.bytes) + "_MAX";
}

std::string least_text(Type type) {
  const TypeFacts &facts = facts_of(type);
  return facts.is_signed ? "INT" + std::to_string(8 * facts.bytes) + "_MIN" : "0";
}

bool holds(Type type, double number) {
  if (!is_integer(type)) return true;
  if (!(std::trunc(number) == number)) return std::isinf(number);
  const double end = std::ldexp(1.0, bits_of(type));
  return std::isinf(number) || ((facts_of(type).is_signed ? number >= -end : number >= 0) && number < end);
}

Type promoted(Type type) {
  return is_integer(type) && facts_of(type).bytes < 4 ? Type::Int32 : type;
}

Type common(Type one, Type other) {
  if (is_complex(one) || is_complex(other))
    return complex_of(common(type_of_parts(one), type_of_parts(other)));
  for (Type real : {Type::Float64, Type::Float32})
    if (one == real || other == real) return real;
  one = promoted(one), other = promoted(other);
  const TypeFacts &a = facts_of(one), &b = facts_of(other);
  if (a.bytes != b.bytes) return a.bytes > b.bytes ? one : other;
  return a.is_signed ? other : one;
}

Type without_sign(Type type) {
  return facts_of(promoted(type)).bytes == 8 ? Type::UInt64 : Type::UInt32;
}

namespace {

/// The bits that the type has, extended to 64.
std::int64_t wrapped(std::int64_t integer, Type type) {
  switch (type) {
  case Type::Bool: return integer != 0;
  case Type::Int8: return static_cast<std::int8_t>(integer);
  case Type::Int16: return static_cast<std::int16_t>(integer);
  case Type::Int32: return static_cast<std::int32_t>(integer);
  case Type::UInt8: return static_cast<std::uint8_t>(integer);
  case Type::UInt16: return static_cast<std::uint16_t>(integer);
  case Type::UInt32:
  case Type::Bit: return static_cast<std::uint32_t>(integer);
  default: return integer;
  }
}

/// The real part, rounded once.
template <class Real> Real nearest(const Scalar &number) {
  if (!is_integer(number.type)) return static_cast<Real>(number.real);
  return number.type == Type::UInt64 ? static_cast<Real>(static_cast<std::uint64_t>(number.integer))
                                     : static_cast<Real>(number.integer);
}

std::int64_t greatest(Type type) {
  const int bits = bits_of(type);
  return static_cast<std::int64_t>(bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
}

} // namespace

Scalar Scalar::of(double number, Type type) {
  if (type == Type::Bool && std::isinf(number)) return {type, 0, number > 0};
  return converted({Type::Float64, number, 0}, type);
}

Scalar Scalar::written(double number) {
  if (std::isinf(number) || !holds(Type::Int64, number)) return {Type::Float64, number, 0};
  return {Type::Int64, 0, static_cast<std::int64_t>(number)};
}

Scalar Scalar::written(double number, Type type) {
  return std::isinf(number) || !is_integer(type) ? of(number, type) : converted(written(number), type);
}

double Scalar::number() const {
  return nearest<double>(*this);
}

Scalar converted(Scalar number, Type type) {
  if (!is_integer(type)) {
    const double imaginary = is_complex(type) ? number.imaginary : 0;
    if (is_single(type)) return {type, nearest<float>(number), 0, static_cast<float>(imaginary)};
    return {type, number.number(), 0, imaginary};
  }
  if (is_integer(number.type)) return {type, 0, wrapped(number.integer, type)};
  if (type == Type::Bool) return {type, 0, !number.is_zero()};
  const double end = std::ldexp(1.0, bits_of(type));
  const bool is_signed = facts_of(type).is_signed;
  if (std::isnan(number.real)) return {type, 0, 0};
  if (number.real >= end) return {type, 0, greatest(type)};
  if (number.real <= (is_signed ? -end : 0)) return {type, 0, is_signed ? -greatest(type) - 1 : 0};
  return {type, 0,
          type == Type::UInt64 ? static_cast<std::int64_t>(static_cast<std::uint64_t>(number.real))
                               : static_cast<std::int64_t>(number.real)};
}

} // namespace unravel::value
