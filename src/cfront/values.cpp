// Floating-point expressions.
#include "cfront/translate.h"

#include <cmath>

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
  if (!std::isfinite(node.decimal)) refuse(node.span, quoted(node) + " is no finite number");
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
    if (operand.type == UnravelIntegral)
      refuse(node.span, quoted(operand) + " is an integer that is used as a number",
             "constants alone may be; make it a parameter of type `double`");
    if (operand.type == UnravelFloat && node.type == UnravelDouble)
      refuse(node.span, quoted(operand) + " is `float`, but it is computed with in `double`",
             "all numbers of a function have one type; constants of type `float` are written `0.5f`");
    if (operand.type == UnravelDouble && node.type == UnravelFloat)
      refuse(node.span, quoted(operand) + " is `double`, and is rounded to `float` here",
             "all numbers of a function have one type; constants of type `float` are written `0.5f`");
    check_type(node.type == UnravelFloat || node.type == UnravelDouble ? operand : node);
    refuse_expression(node);
  }
  case UnravelCall: {
    const std::string &called = node.children[0].text;
    if (node.children.size() == 4 &&
        (called == "fma" || called == "fmaf" || called == "__builtin_fma" || called == "__builtin_fmaf")) {
      Expression left = value(node.children[1]);
      Expression product =
          over(Expression::Kind::Multiply, node.span, {std::move(left), value(node.children[2])});
      return over(Expression::Kind::Add, node.span, {std::move(product), value(node.children[3])});
    }
    refuse_expression(node);
  }
  default: refuse_expression(node);
  }
}

} // namespace unravel::cfront
