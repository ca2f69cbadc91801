// Complex values as C expressions. Products and quotients of two of them are functions of c/complex.c; where
// one of them is real, C multiplies or divides both parts by it.
#include "emit/expression.h"

#include <fmt/format.h>

namespace unravel::emit {

using loop::ElementType;
using value::Operator;

Expressions::Printed Expressions::print_part(const loop::Value::Apply &x, ElementType below) const {
  const ElementType outer = type_;
  type_ = below;
  need_type(below);
  const std::string text = print_value(x.arguments.front()).text;
  type_ = outer;
  const char *function = x.op == Operator::RealPart        ? "creal"
                         : x.op == Operator::ImaginaryPart ? "cimag"
                                                           : "cabs";
  return {fmt::format("{}{}({})", function, end_of_c(below), text), primary, false};
}

Expressions::Printed Expressions::print_complex(const loop::Value::Apply &x) const {
  need_type(type_);
  switch (x.op.kind()) {
  case Operator::Multiply: return print_complex_product(x);
  case Operator::Conjugate:
    return {fmt::format("conj{}({})", end_of_c(type_), print_value(x.arguments[0]).text), primary, false};
  case Operator::Divide: break;
  default: return print_applied(x);
  }
  const Printed dividend = print_value(x.arguments[0]);
  if (const std::optional<Printed> real = print_as_real(x.arguments[1]))
    return in_order({fmt::format("{} / {}", wrap(dividend.text, dividend.binding < multiplicative),
                                 wrap(real->text, real->binding < unary)),
                     multiplicative, false});
  const std::string divisor = print_value(x.arguments[1]).text, suffix = need_typed("quotient", type_);
  return {fmt::format("unravel_quotient{}({}, {})", suffix, dividend.text, divisor), primary, false};
}

/// The real factors first.
Expressions::Printed Expressions::print_complex_product(const loop::Value::Apply &x) const {
  std::string text;
  std::vector<std::string> others;
  Printed last;
  for (const loop::Value &factor : x.arguments)
    if (const std::optional<Printed> real = print_as_real(factor))
      text += (text.empty() ? "" : " * ") + wrap(real->text, real->binding < unary);
    else
      last = print_value(factor), others.push_back(last.text);
  if (others.empty()) return {text, multiplicative, false};
  const std::string product = others.size() == 1 ? wrap(last.text, !text.empty() && last.binding < unary)
                                                 : complex_product(others, type_);
  if (text.empty()) return {product, others.size() == 1 ? last.binding : primary, false};
  return {text + " * " + product, multiplicative, false};
}

std::string Expressions::complex_product(const std::vector<std::string> &factors, ElementType type) const {
  return joined_by("unravel_product" + need_typed("product", type), factors);
}

std::optional<Expressions::Printed> Expressions::print_as_real(const loop::Value &value) const {
  const auto *made = value.as<loop::Value::Apply>();
  if (value::number_of(value)) return print_value(value);
  if (!made) return std::nullopt;
  if (const auto below = types_.below_part(*made)) return print_part(*made, *below);
  if (made->op != value::conversion_to(type_)) return std::nullopt;
  const ElementType parts = value::type_of_parts(type_);
  const ElementType from = types_.of(made->arguments.front()).value_or(parts);
  if (value::is_complex(from)) return std::nullopt;
  return print_converted({value::conversion_to(parts), made->arguments}, parts);
}

} // namespace unravel::emit
