#include "check/typed_value.h"

#include "value/complex.h"
#include "value/own.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace unravel::check {

namespace {

/// Is it nearly 0, so that rounding decides whether it is?
bool may_be_zero(const Value &argument, value::Type type) {
  const double rounding = rounding_of(type);
  return !argument.is_known() || (argument.magnitude > 0 && argument.size() <= rounding * argument.magnitude);
}

/// Are the two as good as equal, and is one of them left over where greater numbers cancelled? (Without that
/// the numbers, and so their difference, may be exact.)
bool may_be_equal(const Value &one, const Value &other, value::Type type) {
  const auto has_cancelled = [](const Value &value) { return value.magnitude > 2 * value.size(); };
  const double between = std::hypot(static_cast<double>(one.value - other.value),
                                    static_cast<double>(one.imaginary - other.imaginary));
  return (has_cancelled(one) || has_cancelled(other)) &&
         between <= rounding_of(type) * (one.magnitude + other.magnitude);
}

/// Does rounding decide what it is?
bool is_uncertain(const value::Operator &op, const std::vector<Value> &arguments, value::Type type) {
  const auto is_open = [&](const Value &argument) { return may_be_zero(argument, type); };
  const auto is_sure = [&](bool is_zero) {
    return std::ranges::any_of(arguments, [&](const Value &argument) {
      return !is_open(argument) && (argument.size() == 0) == is_zero;
    });
  };
  switch (op.kind()) {
  case value::Operator::Not:
  case value::Operator::Xor: return std::ranges::any_of(arguments, is_open);
  case value::Operator::And: return std::ranges::any_of(arguments, is_open) && !is_sure(true);
  case value::Operator::Or: return std::ranges::any_of(arguments, is_open) && !is_sure(false);
  case value::Operator::Select: return is_open(arguments.front());
  case value::Operator::Equal:
  case value::Operator::NotEqual:
  case value::Operator::Less:
  case value::Operator::AtMost:
    return !std::ranges::all_of(arguments, &Value::is_known) ||
           may_be_equal(arguments[0], arguments[1], type);
  default: return false;
  }
}

/// What its rounding errors are in proportion to, those of the arguments included. `size`: the value's.
double magnitude_of(const value::Operator &op, const std::vector<Value> &arguments, double size) {
  auto size_of = [](const Value &argument) { return argument.size(); };
  double sum = 0, product = 1, greatest = 0;
  for (const Value &argument : arguments) {
    sum += argument.magnitude, product *= argument.magnitude;
    greatest = std::max(greatest, argument.magnitude);
  }
  switch (op.kind()) {
  case value::Operator::Negate:
  case value::Operator::Absolute:
  case value::Operator::Conjugate:
  case value::Operator::RealPart:
  case value::Operator::ImaginaryPart:
  case value::Operator::Minimum:
  case value::Operator::Maximum:
  case value::Operator::First:
  case value::Operator::Second:
  case value::Operator::Any:
  case value::Operator::Select: return greatest;
  case value::Operator::And:
  case value::Operator::Or:
  case value::Operator::Xor:
  case value::Operator::Not:
  case value::Operator::Equal:
  case value::Operator::NotEqual:
  case value::Operator::Less:
  case value::Operator::AtMost: // 0 or 1
  case value::Operator::Complex: return size;
  case value::Operator::Add: return sum;
  case value::Operator::Multiply: return product;
  case value::Operator::Divide: { // the divisor's own errors count, too
    const double by = size_of(arguments[1]);
    const double relative = by != 0 ? arguments[1].magnitude / by : 1;
    return arguments[0].magnitude * relative / by;
  }
  case value::Operator::SquareRoot: return size > 0 ? size + greatest / size : std::sqrt(greatest);
  case value::Operator::Exponential: return size * (1 + greatest);
  case value::Operator::Logarithm: {
    const double of = size_of(arguments[0]);
    return size + (of > 0 ? greatest / of : 1);
  }
  case value::Operator::Sine:
  case value::Operator::Cosine: return 1 + greatest;
  case value::Operator::Tangent: return size + greatest * (1 + size * size);
  case value::Operator::Power: return size * (1 + sum * (1 + sum));
  default: return std::max(size, 1.0);
  }
}

Value of_definition(const value::Definition &tree, const std::vector<Value> &arguments, value::Type type) {
  if (const double *number = value::number_of(tree)) return written(*number, type);
  if (const auto *argument = std::get_if<value::Argument>(&tree.kind)) return arguments[argument->number];
  const auto &made = std::get<value::Definition::Apply>(tree.kind);
  std::vector<Value> parts;
  for (const value::Definition &part : made.arguments)
    parts.push_back(of_definition(part, arguments, type));
  return combined(made.op, parts, type);
}

/// Step by step, as each has its own rounding errors; two at a time, where there are more than it is defined
/// for.
Value of_own(const value::OwnOperator &own, const std::vector<Value> &arguments, value::Type type) {
  if (arguments.size() == own.arguments.size()) return of_definition(own.definition, arguments, type);
  Value result = arguments.front();
  for (std::size_t k = 1; k < arguments.size(); ++k)
    result = of_definition(own.definition, {result, arguments[k]}, type);
  return result;
}

} // namespace

Value combined(const value::Operator &op, const std::vector<Value> &arguments, value::Type type) {
  if (value::is_integer(type)) {
    std::vector<value::Scalar> integers;
    for (const Value &argument : arguments)
      integers.push_back(exactly(argument, type));
    const value::Scalar made = value::evaluate_exactly(op, value::promoted(type), std::move(integers));
    const bool is_known = std::ranges::all_of(arguments, &Value::is_known);
    return of_integer(value::converted(made, type), is_known);
  }
  if (op.own()) return of_own(*op.own(), arguments, type);
  const auto is_complex = [](const Value &argument) { return argument.imaginary != 0; };
  if (value::is_complex(type) || std::ranges::any_of(arguments, is_complex)) {
    std::vector<std::complex<long double>> parts;
    for (const Value &argument : arguments)
      parts.emplace_back(argument.value, argument.imaginary);
    const auto made = value::evaluate_complex<long double>(op, parts);
    return {held(made.real(), type), magnitude_of(op, arguments, static_cast<double>(std::abs(made))),
            held(made.imag(), type)};
  }
  std::vector<long double> numbers;
  for (const Value &argument : arguments)
    numbers.push_back(argument.value);
  const auto value = held(value::evaluate<long double>(op, numbers), type);
  if (is_uncertain(op, arguments, type)) return {value, std::numeric_limits<double>::infinity()};
  return {value, magnitude_of(op, arguments, std::fabs(static_cast<double>(value)))};
}

} // namespace unravel::check
