#pragma once

#include "value/tree.h"

#include <cmath>
#include <complex>
#include <optional>
#include <vector>

/// What operators make of complex numbers, as kernels compute it: by the formulas, without C's care for
/// infinities in products.
namespace unravel::value {

template <class Real>
std::complex<Real> complex_product(const std::complex<Real> &a, const std::complex<Real> &b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Smith's formula: no square overflows.
template <class Real>
std::complex<Real> complex_quotient(const std::complex<Real> &a, const std::complex<Real> &b) {
  if (b.imag() == 0) return {a.real() / b.real(), a.imag() / b.real()};
  if (std::fabs(b.real()) >= std::fabs(b.imag())) {
    const Real ratio = b.imag() / b.real(), by = b.real() + b.imag() * ratio;
    return {(a.real() + a.imag() * ratio) / by, (a.imag() - a.real() * ratio) / by};
  }
  const Real ratio = b.real() / b.imag(), by = b.real() * ratio + b.imag();
  return {(a.real() * ratio + a.imag()) / by, (a.imag() * ratio - a.real()) / by};
}

std::complex<double> evaluate_own(const OwnOperator &own, const std::vector<std::complex<double>> &arguments);
std::complex<long double> evaluate_own(const OwnOperator &own,
                                       const std::vector<std::complex<long double>> &arguments);

/// Of numbers, one for each argument, from left to right. Precondition: the operator holds for complex
/// numbers, and is no conversion.
template <class Real>
std::complex<Real> evaluate_complex(const Operator &op, const std::vector<std::complex<Real>> &arguments) {
  using Complex = std::complex<Real>;
  auto next = arguments.begin();
  Complex result = *next++;
  const auto truth = [](bool holds) { return Complex(holds ? 1 : 0); };
  switch (op.kind()) {
  case Operator::Negate: return -result;
  case Operator::Conjugate: return std::conj(result);
  case Operator::RealPart: return result.real();
  case Operator::ImaginaryPart: return result.imag();
  case Operator::Complex: return {result.real(), next->real()};
  case Operator::Absolute: return std::hypot(result.real(), result.imag());
  case Operator::SquareRoot: return std::sqrt(result);
  case Operator::Exponential: return std::exp(result);
  case Operator::Logarithm: return std::log(result);
  case Operator::Sine: return std::sin(result);
  case Operator::Cosine: return std::cos(result);
  case Operator::Tangent: return std::tan(result);
  case Operator::HyperbolicTangent: return std::tanh(result);
  case Operator::Add:
    for (; next != arguments.end(); ++next)
      result += *next;
    return result;
  case Operator::Multiply:
    for (; next != arguments.end(); ++next)
      result = complex_product(result, *next);
    return result;
  case Operator::Divide: return complex_quotient(result, *next);
  case Operator::Equal: return truth(result == *next);
  case Operator::NotEqual: return truth(result != *next);
  case Operator::Second: return *next;
  case Operator::Any:
    for (; next != arguments.end(); ++next)
      result = result != Complex(0) ? result : *next;
    return result;
  case Operator::Pair: return Complex(1);
  case Operator::Select: return result != Complex(0) ? arguments[1] : arguments[2];
  case Operator::Own: return evaluate_own(*op.own(), arguments);
  default: return result; // the first one
  }
}

/// The constant that the value is: a number, or a complex one.
template <class Value> std::optional<std::complex<double>> constant_of(const Value &tree) {
  if (const double *number = number_of(tree)) return *number;
  const auto *parts = arguments_of(Operator::Complex, tree);
  return parts ? std::optional(std::complex(*number_of(parts->at(0)), *number_of(parts->at(1))))
               : std::nullopt;
}

template <class Value> Value complex_constant(std::complex<double> number) {
  return apply(Operator::Complex, std::vector<Value>{{Number{number.real()}}, {Number{number.imag()}}});
}

} // namespace unravel::value
