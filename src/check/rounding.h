#pragma once

#include "check/typed_value.h"
#include "compute/computation.h"

#include <algorithm>
#include <cmath>
#include <limits>

/// Where rounding errors decide what a value is, so that nothing can be compared.
namespace unravel::check {

/// Is it what an operand holds, or the text, but for its sign? `operands`: a map, by name.
template <class Operands> bool is_read(const compute::Value &tree, const Operands &operands) {
  if (const auto *access = std::get_if<compute::Access>(&tree.kind)) return operands.contains(access->tensor);
  const auto *made = std::get_if<compute::Value::Apply>(&tree.kind);
  return made && (made->op == value::Operator::Complex ||
                  ((made->op == value::Operator::Conjugate || made->op == value::Operator::Negate) &&
                   is_read(made->arguments.front(), operands)));
}

/// Is it rounded once at most, as a product of two operands is? Then its value is known.
template <class Operands> bool is_one_step(const compute::Value &tree, const Operands &operands) {
  const auto is_exact = [&](const compute::Value &part) {
    return value::number_of(part) || std::holds_alternative<term::Term>(part.kind) || is_read(part, operands);
  };
  const auto *made = std::get_if<compute::Value::Apply>(&tree.kind);
  return is_exact(tree) ||
         (made && made->arguments.size() <= 2 && std::ranges::all_of(made->arguments, is_exact));
}

/// Roots and logarithms of complex numbers jump where these are real and negative: rounding errors, and the
/// sign of a zero that was computed, decide there. What an operand holds, or the text, has the sign that it
/// has.
template <class Operands>
bool may_lie_beyond_cut(const compute::Value::Apply &made, const Value &argument, value::Type type,
                        const Operands &operands) {
  if (made.op != value::Operator::SquareRoot && made.op != value::Operator::Logarithm) return false;
  if (!value::is_complex(type) || argument.value >= 0 || is_read(made.arguments.front(), operands))
    return false;
  return !(std::fabs(argument.imaginary) > rounding_of(type) * argument.magnitude);
}

/// Is it rounded to single precision, and perhaps to another number than the kernel's is, which is further
/// from it than rounding errors are?
template <class Operands>
bool may_be_rounded_otherwise(const compute::Value::Apply &made, const Value &argument, value::Type type,
                              const Operands &operands) {
  const auto to = value::made_by_conversion(made.op);
  if (!to || !is_single(*to) || value::is_integer(type) || is_single(type) ||
      is_one_step(made.arguments.front(), operands))
    return false;
  const auto is_open = [&](long double part) {
    const long double error = rounding_of(type) * argument.magnitude;
    return rounded(part + error, *to) - rounded(part - error, *to) > 4 * error;
  };
  return is_open(argument.value) || is_open(argument.imaginary);
}

/// Might a number with rounding errors be cut to another integer? One that is an integer is taken for exact.
inline bool may_be_cut_otherwise(const Value &value, value::Type type) {
  const double most = is_single(type) ? 0x1p24 : 0x1p53;
  if (std::trunc(value.value) == value.value && std::fabs(value.value) < most) return false;
  const long double error = rounding_of(type) * value.magnitude;
  return std::trunc(value.value - error) != std::trunc(value.value + error);
}

/// Whether a factor whose entries cancel meets an infinite one.
class CancellingFactors {
public:
  void add(const Value &factor) {
    const bool is_infinite = !std::isfinite(factor.value);
    infinite_ += is_infinite;
    if (factor.cancels) least_own_ = std::min(least_own_, static_cast<int>(is_infinite));
  }
  bool meet_infinity() const { return infinite_ > least_own_; }

private:
  int infinite_ = 0;
  int least_own_ = std::numeric_limits<int>::max(); // of what cancels: is it infinite itself?
};

} // namespace unravel::check
