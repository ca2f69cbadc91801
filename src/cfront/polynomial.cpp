#include "cfront/polynomial.h"

#include "report/diagnostic.h"

#include <algorithm>

namespace unravel::cfront {

namespace {

[[noreturn]] void fail_overflow() {
  report::fail(report::Kind::number_too_large, "the factors of a subscript or bound don't fit in 64 bits");
}

} // namespace

Polynomial::Polynomial(std::int64_t constant) {
  add({}, constant);
}

Polynomial Polynomial::of(Variable variable) {
  return product({variable}, 1);
}

Polynomial Polynomial::product(const Monomial &monomial, std::int64_t coefficient) {
  Polynomial result;
  result.add(monomial, coefficient);
  return result;
}

std::int64_t Polynomial::coefficient(const Monomial &monomial) const {
  auto found = terms_.find(monomial);
  return found == terms_.end() ? 0 : found->second;
}

bool Polynomial::is_constant() const {
  return terms_.empty() || (terms_.size() == 1 && terms_.begin()->first.empty());
}

bool Polynomial::is_affine() const {
  return std::ranges::all_of(terms_, [](const auto &term) { return term.first.size() <= 1; });
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial result = *this;
  for (const auto &[monomial, coefficient] : other.terms_)
    result.add(monomial, coefficient);
  return result;
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  return *this + Polynomial(-1) * other;
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial result;
  for (const auto &[left, factor] : terms_)
    for (const auto &[right, other_factor] : other.terms_) {
      std::int64_t coefficient = 0;
      if (__builtin_mul_overflow(factor, other_factor, &coefficient)) fail_overflow();
      Monomial monomial;
      std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(monomial));
      result.add(monomial, coefficient);
    }
  return result;
}

void Polynomial::add(const Monomial &monomial, std::int64_t coefficient) {
  if (coefficient == 0) return;
  std::int64_t &sum = terms_[monomial];
  // Without the least integer every coefficient can change its sign.
  if (__builtin_add_overflow(sum, coefficient, &sum) || sum == INT64_MIN) fail_overflow();
  if (sum == 0) terms_.erase(monomial);
}

} // namespace unravel::cfront
