#include "check/typed_value.h"

#include "value/complex.h"
#include "value/own.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <ranges>
#include <vector>

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
  const auto has_cancelled = [](const Value &value) { return value.magnitude > value.size(); };
  const double between = std::hypot(static_cast<double>(one.value - other.value),
                                    static_cast<double>(one.imaginary - other.imaginary));
  return (has_cancelled(one) || has_cancelled(other)) &&
         between <= rounding_of(type) * (one.magnitude + other.magnitude);
}

/// Does rounding decide what it is?
bool is_uncertain(const value::Operator &op, std::span<const Value> arguments, value::Type type) {
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

double magnitude_of_product(const Value &one, const Value &other, value::Type type) {
  return one.magnitude * other.size() + other.magnitude * one.size() +
         rounding_of(type) * one.magnitude * other.magnitude +
         size_of_product(one.size(), other.size(), type);
}

/// What its rounding errors are in proportion to, those of the arguments included. `size`: the value's.
double magnitude_of(const value::Operator &op, std::span<const Value> arguments, double size,
                    value::Type type) {
  double greatest = 0;
  for (const Value &argument : arguments)
    greatest = std::max(greatest, argument.magnitude);
  switch (op.kind()) {
  case value::Operator::Negate:
  case value::Operator::Conjugate:
  case value::Operator::RealPart:
  case value::Operator::ImaginaryPart:
  case value::Operator::Minimum:
  case value::Operator::Maximum:
  case value::Operator::First:
  case value::Operator::Second:
  case value::Operator::Any:
  case value::Operator::Select: return greatest;
  case value::Operator::Absolute: return greatest + (arguments.front().imaginary != 0 ? size : 0);
  case value::Operator::And:
  case value::Operator::Or:
  case value::Operator::Xor:
  case value::Operator::Not:
  case value::Operator::Equal:
  case value::Operator::NotEqual:
  case value::Operator::Less:
  case value::Operator::AtMost: // 0 or 1
  case value::Operator::Complex: return size;
  case value::Operator::Add:
    return std::accumulate(arguments.begin(), arguments.end(), size,
                           [](double sum, const Value &argument) { return sum + argument.magnitude; });
  case value::Operator::Multiply:
    return arguments.size() < 2 ? greatest : magnitude_of_product(arguments[0], arguments[1], type);
  case value::Operator::Divide:
    return size + (arguments[0].magnitude + size * arguments[1].magnitude) / arguments[1].size();
  case value::Operator::SquareRoot: // at most the root of the error
    return size + std::min(size > 0 ? greatest / size : std::numeric_limits<double>::infinity(),
                           std::sqrt(greatest / rounding_of(type)));
  case value::Operator::Exponential: return size * (1 + greatest);
  case value::Operator::Logarithm: {
    const double of = arguments[0].size();
    return size + (greatest > 0 ? (of > 0 ? greatest / of : greatest) : 0);
  }
  case value::Operator::Sine:
  case value::Operator::Cosine: return 1 + greatest;
  case value::Operator::Tangent: return size + greatest * (1 + size * size);
  case value::Operator::Power: {
    const double of = arguments[0].size() + rounding_of(type) * arguments[0].magnitude;
    const double by = arguments[1].size();
    const double of_base =
        arguments[0].magnitude > 0 ? by * std::pow(of, by - 1) * arguments[0].magnitude : 0;
    const double of_exponent = arguments[1].magnitude > 0 ? size * std::fabs(std::log(of)) : 0;
    return size * (1 + by) + of_base + of_exponent * arguments[1].magnitude;
  }
  default: return std::max(size, 1.0) + greatest;
  }
}

Value of_definition(const value::Definition &tree, std::span<const Value> arguments, value::Type type) {
  if (const double *number = value::number_of(tree)) return written(*number, type);
  if (const auto *argument = std::get_if<value::Argument>(&tree.kind)) return arguments[argument->number];
  const auto &made = std::get<value::Definition::Apply>(tree.kind);
  std::vector<Value> parts;
  for (const value::Definition &part : made.arguments)
    parts.push_back(of_definition(part, arguments, type));
  return combined(made.op, parts, type);
}

/// Two at a time, from the left.
Value pair_by_pair(std::span<const Value> arguments, const auto &combine) {
  Value result = arguments.front();
  for (const Value &each : arguments.subspan(1))
    result = combine(std::array{result, each});
  return result;
}

/// Step by step, as each has its own rounding errors.
Value of_own(const value::OwnOperator &own, std::span<const Value> arguments, value::Type type) {
  const auto combine = [&](std::span<const Value> parts) {
    return of_definition(own.definition, parts, type);
  };
  return arguments.size() == own.arguments.size() ? combine(arguments) : pair_by_pair(arguments, combine);
}

} // namespace

Value combined(const value::Operator &op, std::span<const Value> arguments, value::Type type) {
  if (value::is_integer(type)) {
    std::vector<value::Scalar> integers;
    for (const Value &argument : arguments)
      integers.push_back(exactly(argument, type));
    const value::Scalar made = value::evaluate_exactly(op, value::promoted(type), std::move(integers));
    const bool is_known = std::ranges::all_of(arguments, &Value::is_known);
    return of_integer(value::converted(made, type), is_known);
  }
  if (op.own()) return of_own(*op.own(), arguments, type);
  // A part of them may be too large or too small for the type where the whole isn't.
  if ((op == value::Operator::Add || op == value::Operator::Multiply) && arguments.size() > 2)
    return pair_by_pair(arguments, [&](std::span<const Value> pair) { return combined(op, pair, type); });
  const auto is_complex = [](const Value &argument) { return argument.imaginary != 0; };
  if (value::is_complex(type) || std::ranges::any_of(arguments, is_complex)) {
    std::vector<std::complex<long double>> parts;
    for (const Value &argument : arguments)
      parts.emplace_back(argument.value, argument.imaginary);
    const auto made = value::evaluate_complex<long double>(op, parts);
    return {held(made.real(), type), magnitude_of(op, arguments, static_cast<double>(std::abs(made)), type),
            held(made.imag(), type)};
  }
  const auto value =
      held(value::evaluate<long double>(op, std::views::transform(arguments, &Value::value)), type);
  if (is_uncertain(op, arguments, type)) return {value, std::numeric_limits<double>::infinity()};
  return {value, magnitude_of(op, arguments, std::fabs(static_cast<double>(value)), type)};
}

} // namespace unravel::check
