#include "parse/build.h"

#include <cmath>
#include <utility>

namespace unravel::parse {

using Kind = Expression::Kind;

Expression over(Kind kind, std::vector<Expression> children, const text::Span &span) {
  Expression made;
  made.kind = kind;
  made.children = std::move(children);
  made.span = span;
  return made;
}

Expression called(const std::string &name, std::vector<Expression> arguments, const text::Span &span) {
  Expression made = over(Kind::Call, std::move(arguments), span);
  made.name = {name, span};
  return made;
}

Expression number_expression(double value, const text::Span &span) {
  const bool is_integer = std::abs(value) < 1e15 && std::trunc(value) == value;
  Expression number = over(is_integer ? Kind::Integer : Kind::Decimal, {}, span);
  number.integer = is_integer ? static_cast<std::int64_t>(value) : 0;
  number.decimal = value;
  return number;
}

Expression complex_expression(double real, double imaginary, const text::Span &span) {
  Expression part = over(Kind::Imaginary, {}, span);
  part.decimal = std::fabs(imaginary);
  const bool is_negative = std::signbit(imaginary);
  if (real == 0) return is_negative ? over(Kind::Negate, {std::move(part)}, span) : part;
  Expression first = number_expression(std::fabs(real), span);
  if (real < 0) first = over(Kind::Negate, {std::move(first)}, span);
  return over(is_negative ? Kind::Subtract : Kind::Add, {std::move(first), std::move(part)}, span);
}

} // namespace unravel::parse
