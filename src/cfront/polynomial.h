#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace unravel::cfront {

/// A variable of the program, a loop's or a size: its index in `Variables`.
using Variable = int;
/// A product of variables, sorted; empty: 1.
using Monomial = std::vector<Variable>;

/// An integer expression of C as a polynomial in loop variables and sizes; integers are taken not to
/// overflow. What reaches the tree is affine; products are kept until linearised subscripts are taken apart.
/// Arithmetic that overflows throws kind `number-too-large`.
class Polynomial {
public:
  Polynomial(std::int64_t constant = 0); // NOLINT: integers are polynomials
  static Polynomial of(Variable variable);
  static Polynomial product(const Monomial &monomial, std::int64_t coefficient);

  /// Coefficients, none of them 0.
  const std::map<Monomial, std::int64_t> &terms() const { return terms_; }
  std::int64_t coefficient(const Monomial &monomial) const;
  std::int64_t constant() const { return coefficient({}); }
  bool is_constant() const;
  bool is_affine() const;

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  bool operator==(const Polynomial &other) const = default;

private:
  void add(const Monomial &monomial, std::int64_t coefficient);

  std::map<Monomial, std::int64_t> terms_;
};

} // namespace unravel::cfront
