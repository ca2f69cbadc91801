// Floating-point expressions.
#include "cfront/translate.h"
#include "parse/build.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace unravel::cfront {

using parse::called;
using parse::Expression;
using parse::over;

namespace {

/// A real number that C makes a complex one: as it was.
const Node &as_real(const Node &node) {
  const bool is_made_complex =
      node.kind == UnravelCast && is_complex(node.type) && !is_complex(node.children[0].type);
  return is_made_complex ? as_real(node.children[0]) : node;
}

/// Real numbers: are they the same, computed with complex ones? Not roots, quotients by 0, comparisons and
/// the like.
bool is_alike(const Node &node) {
  switch (node.kind) {
  case UnravelDecimal:
  case UnravelReference:
  case UnravelSubscript:
  case UnravelDereference: return true;
  case UnravelCast: {
    const Node &operand = node.children[0];
    if (operand.type == UnravelIntegral) return !is_about_numbers(operand);
    return is_complex(operand.type) || is_alike(operand);
  }
  case UnravelUnary: return is_complex(node.children[0].type) || is_alike(node.children[0]);
  case UnravelBinary: return node.text != "/" && std::ranges::all_of(node.children, is_alike);
  case UnravelCall: return is_complex(as_real(node.children.back()).type); // creal and the like
  default: return false;
  }
}

} // namespace

void Translator::check_type(const Node &node) {
  const UnravelSyntaxType parts = type_of_parts(node.type);
  if (parts != UnravelFloat && parts != UnravelDouble)
    refuse(node.span, quoted(node) + " is of type `" + node.type_name + "`",
           "numbers are `double` or `float`, or complex ones with such parts");
  if (numbers_ && *numbers_ != parts)
    refuse(node.span,
           quoted(node) + " is `" + node.type_name + "`, but what was computed before is `" +
               (parts == UnravelFloat ? "double" : "float") + "`",
           "all numbers of a function have one type");
  numbers_ = parts;
}

Expression Translator::among_complex(const Node &node) {
  const Node &inner = as_real(node);
  Expression made = value(inner);
  if (is_complex(inner.type) || is_alike(inner)) return made;
  return called(type_of_reals(), {std::move(made)}, node.span);
}

std::vector<Expression> Translator::operands(const Node &node) {
  const bool is_among_complex = std::ranges::any_of(node.children, is_complex, &Node::type);
  std::vector<Expression> all;
  for (const Node &child : node.children)
    all.push_back(is_among_complex ? among_complex(child) : value(child));
  return all;
}

bool Translator::is_surely_complex(const Node &node) const {
  if (!is_complex(node.type)) return false;
  switch (node.kind) {
  case UnravelComplex: return true;
  case UnravelReference: return tensors_.contains(node.declaration);
  case UnravelSubscript:
  case UnravelDereference: {
    const Node *base = &node;
    while (!base->children.empty())
      base = &base->children[0];
    const auto found = tensors_.find(base->declaration);
    return found != tensors_.end() && !found->second.is_local;
  }
  case UnravelUnary:
  case UnravelBinary:
    return std::ranges::any_of(node.children, [&](const Node &child) { return is_surely_complex(child); });
  default: return false;
  }
}

Expression Translator::constant(const Node &node) {
  Expression result;
  result.span = node.span;
  result.kind = Expression::Kind::Decimal;
  result.decimal = std::abs(node.decimal);
  constexpr double exact_integers = 9007199254740992; // 2^53
  if (node.is(UnravelIsFromInteger) && result.decimal <= exact_integers) {
    result.kind = Expression::Kind::Integer;
    result.integer = static_cast<std::int64_t>(result.decimal);
  }
  if (!std::signbit(node.decimal)) return result;
  return over(Expression::Kind::Negate, {result}, node.span);
}

Expression Translator::value(const Node &node) {
  switch (node.kind) {
  case UnravelDecimal: check_type(node); return constant(node);
  case UnravelComplex:
    if (!std::isfinite(node.decimal) || !std::isfinite(node.imaginary))
      refuse(node.span, quoted(node) + " is not a finite number");
    check_type(node);
    return parse::complex_expression(node.decimal, node.imaginary, node.span);
  case UnravelSubscript:
  case UnravelDereference: return access(node, false);
  case UnravelReference: {
    Expression result;
    result.kind = Expression::Kind::Name;
    result.span = node.span;
    if (auto scalar = scalars_.find(node.declaration); scalar != scalars_.end()) {
      check_type(node);
      result.name = {scalar->second, node.span};
      return result;
    }
    if (auto found = tensors_.find(node.declaration); found != tensors_.end()) {
      use(node, found->second, false);
      if (!found->second.is_scalar) refuse(node.span, "`" + node.text + "` is used without subscripts");
      check_type(node);
      result.name = {node.text, node.span};
      return result;
    }
    if (node.is(UnravelIsNoParameter))
      refuse(node.span, "`" + node.text + "` is defined outside of the function", "make it a parameter");
    refuse_expression(node);
  }
  case UnravelUnary:
    if (node.text == "+") return value(node.children[0]);
    if (node.text == "-") return over(Expression::Kind::Negate, {value(node.children[0])}, node.span);
    if (node.text == "~" && is_complex(node.type))
      return called("conj", {value(node.children[0])}, node.span);
    if (node.text == "__real" || node.text == "__imag")
      return called(node.text == "__real" ? "real" : "imag", {value(node.children[0])}, node.span);
    refuse_expression(node);
  case UnravelBinary: {
    auto kind = [&] {
      if (node.text == "+") return Expression::Kind::Add;
      if (node.text == "-") return Expression::Kind::Subtract;
      if (node.text == "*") return Expression::Kind::Multiply;
      if (node.text == "/") return Expression::Kind::Divide;
      refuse_expression(node);
    }();
    return over(kind, operands(node), node.span);
  }
  case UnravelCast: {
    const Node &operand = node.children[0];
    if (operand.type == node.type) return value(operand);
    if (operand.type == UnravelIntegral && is_about_numbers(operand)) return number_of_truths(operand);
    if (operand.type == UnravelIntegral) {
      check_type(node);
      return integer_as_number(operand);
    }
    const UnravelSyntaxType from = type_of_parts(operand.type), to = type_of_parts(node.type);
    if (from == UnravelFloat && to == UnravelDouble)
      refuse(node.span, quoted(operand) + " is `float`, but this computes in `double`",
             "all numbers of a function have one type; constants of type `float` are written `0.5f`");
    if (from == UnravelDouble && to == UnravelFloat)
      refuse(node.span, quoted(operand) + " is `double`, and is rounded to `float` here",
             "all numbers of a function have one type; constants of type `float` are written `0.5f`");
    check_type(is_number(node.type) && node.type != UnravelOtherFloating ? operand : node);
    if (is_complex(node.type)) return among_complex(node);
    if (is_complex(operand.type)) return called("real", {value(operand)}, node.span); // as C drops the other
    refuse_expression(node);
  }
  case UnravelConditional: return choice_of_numbers(node);
  case UnravelCall: return call(node);
  default: refuse_expression(node);
  }
}

Expression Translator::integer_as_number(const Node &node) {
  const Polynomial integer = affine(node, "number");
  if (node.is_unsigned) check_unsigned(node, {Integer::Kind::Exact, {integer}});
  Expression number = variables_.expression(integer, node.span);
  if (integer.is_constant()) return number;
  return called(type_of_reals(), {std::move(number)}, node.span);
}

Expression Translator::call(const Node &node) {
  static const std::map<std::string, std::string> operators = {
      {"fmin", "min"},   {"fmax", "max"},   {"fabs", "abs"},    {"sqrt", "sqrt"},  {"exp", "exp"},
      {"log", "log"},    {"pow", "pow"},    {"fma", "fma"},     {"sin", "sin"},    {"cos", "cos"},
      {"tan", "tan"},    {"tanh", "tanh"},  {"floor", "floor"}, {"ceil", "ceil"},  {"conj", "conj"},
      {"creal", "real"}, {"cimag", "imag"}, {"cabs", "abs"},    {"csqrt", "sqrt"}, {"cexp", "exp"},
      {"clog", "log"},   {"csin", "sin"},   {"ccos", "cos"},    {"ctan", "tan"},   {"ctanh", "tanh"}};
  std::string called = node.children[0].text;
  if (called.starts_with("__builtin_")) called.erase(0, std::string("__builtin_").size());
  if (type_of_parts(node.type) == UnravelFloat && called.ends_with("f")) called.pop_back();
  const auto op = operators.find(called);
  if (op == operators.end()) refuse_expression(node);
  check_type(node);
  std::vector<Expression> arguments;
  for (std::size_t k = 1; k < node.children.size(); ++k) {
    const Node &argument = node.children[k];
    const bool is_of_complex = is_complex(argument.type);
    arguments.push_back(is_of_complex ? among_complex(argument) : value(argument));
    if (is_of_complex && is_complex(node.type) && op->second != "conj" && !is_surely_complex(argument))
      arguments.back() = parse::called(type_of_complex(), {std::move(arguments.back())}, argument.span);
  }
  if (op->second == "fma") {
    Expression addend = std::move(arguments.back());
    arguments.pop_back();
    Expression product = over(Expression::Kind::Multiply, std::move(arguments), node.span);
    return over(Expression::Kind::Add, {std::move(product), std::move(addend)}, node.span);
  }
  Expression made = parse::called(op->second, std::move(arguments), node.span);
  made.name.span = node.children[0].span;
  return made;
}

} // namespace unravel::cfront
