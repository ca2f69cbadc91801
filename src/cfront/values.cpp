// Floating-point expressions.
#include "cfront/translate.h"

#include <cmath>
#include <map>
#include <string>

namespace unravel::cfront {

using parse::Expression;

namespace {

Expression over(Expression::Kind kind, const text::Span &span, std::vector<Expression> children) {
  Expression result;
  result.kind = kind;
  result.span = span;
  result.children = std::move(children);
  return result;
}

} // namespace

void Translator::check_type(const Node &node) {
  if (node.type != UnravelFloat && node.type != UnravelDouble)
    refuse(node.span, quoted(node) + " is of type `" + node.type_name + "`",
           "numbers are `double` or `float`");
  if (numbers_ && *numbers_ != node.type)
    refuse(node.span,
           quoted(node) + " is `" + node.type_name + "`, but what was computed before is `" +
               (node.type == UnravelFloat ? "double" : "float") + "`",
           "all numbers of a function have one type");
  numbers_ = node.type;
}

Expression Translator::constant(const Node &node) {
  if (!std::isfinite(node.decimal)) refuse(node.span, quoted(node) + " is not a finite number");
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
  return over(Expression::Kind::Negate, node.span, {result});
}

Expression Translator::value(const Node &node) {
  switch (node.kind) {
  case UnravelDecimal: check_type(node); return constant(node);
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
    if (node.text == "-") return over(Expression::Kind::Negate, node.span, {value(node.children[0])});
    refuse_expression(node);
  case UnravelBinary: {
    auto kind = [&] {
      if (node.text == "+") return Expression::Kind::Add;
      if (node.text == "-") return Expression::Kind::Subtract;
      if (node.text == "*") return Expression::Kind::Multiply;
      if (node.text == "/") return Expression::Kind::Divide;
      refuse_expression(node);
    }();
    Expression left = value(node.children[0]);
    return over(kind, node.span, {std::move(left), value(node.children[1])});
  }
  case UnravelCast: {
    const Node &operand = node.children[0];
    if (operand.type == node.type) return value(operand);
    if (operand.type == UnravelIntegral && is_about_numbers(operand)) return number_of_truths(operand);
    if (operand.type == UnravelIntegral) {
      check_type(node);
      return integer_as_number(operand);
    }
    if (operand.type == UnravelFloat && node.type == UnravelDouble)
      refuse(node.span, quoted(operand) + " is `float`, but this computes in `double`",
             "all numbers of a function have one type; constants of type `float` are written `0.5f`");
    if (operand.type == UnravelDouble && node.type == UnravelFloat)
      refuse(node.span, quoted(operand) + " is `double`, and is rounded to `float` here",
             "all numbers of a function have one type; constants of type `float` are written `0.5f`");
    check_type(node.type == UnravelFloat || node.type == UnravelDouble ? operand : node);
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
  Expression made = over(Expression::Kind::Call, node.span, {std::move(number)});
  made.name = {numbers_ == UnravelFloat ? "f32" : "f64", node.span};
  return made;
}

Expression Translator::call(const Node &node) {
  static const std::map<std::string, std::string> operators = {
      {"fmin", "min"}, {"fmax", "max"},  {"fabs", "abs"},    {"sqrt", "sqrt"}, {"exp", "exp"},
      {"log", "log"},  {"pow", "pow"},   {"fma", "fma"},     {"sin", "sin"},   {"cos", "cos"},
      {"tan", "tan"},  {"tanh", "tanh"}, {"floor", "floor"}, {"ceil", "ceil"}};
  std::string called = node.children[0].text;
  if (called.starts_with("__builtin_")) called.erase(0, std::string("__builtin_").size());
  if (node.type == UnravelFloat && called.ends_with("f")) called.pop_back();
  const auto op = operators.find(called);
  if (op == operators.end()) refuse_expression(node);
  check_type(node);
  std::vector<Expression> arguments;
  for (std::size_t k = 1; k < node.children.size(); ++k)
    arguments.push_back(value(node.children[k]));
  if (op->second == "fma") {
    Expression addend = std::move(arguments.back());
    arguments.pop_back();
    Expression product = over(Expression::Kind::Multiply, node.span, std::move(arguments));
    return over(Expression::Kind::Add, node.span, {std::move(product), std::move(addend)});
  }
  Expression made = over(Expression::Kind::Call, node.span, std::move(arguments));
  made.name = {op->second, node.children[0].span};
  return made;
}

} // namespace unravel::cfront
