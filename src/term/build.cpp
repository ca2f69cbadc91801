// The constructors of terms: normal forms and constant folding.
#include "report/diagnostic.h"
#include "term/quotient.h"
#include "term/term.h"
#include "text/contains.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace unravel::term {

namespace {

std::int64_t add_exact(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result))
    report::fail(report::Kind::number_too_large, "a sum of constants doesn't fit in 64 bits");
  return result;
}

std::int64_t multiply_exact(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result))
    report::fail(report::Kind::number_too_large, "a product of constants doesn't fit in 64 bits");
  return result;
}

std::size_t mix(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

std::size_t hash_of(const std::vector<Term> &terms) {
  std::size_t seed = terms.size();
  for (const Term &term : terms)
    seed = mix(seed, term.hash());
  return seed;
}

std::size_t hash_of(const Kind &kind) {
  std::size_t seed = std::visit(
      overloaded{
          [](const Constant &x) { return std::hash<std::int64_t>()(x.value); },
          [](const Variable &x) { return std::hash<std::string>()(x.name); },
          [](const Linear &x) {
            std::size_t s = static_cast<std::size_t>(x.constant);
            for (const auto &[atom, coefficient] : x.parts)
              s = mix(mix(s, atom.hash()), static_cast<std::size_t>(coefficient));
            return s;
          },
          [](const Apply &x) { return mix(std::hash<std::string>()(x.function), hash_of(x.arguments)); },
          [](const FloorDivide &x) { return mix(x.numerator.hash(), static_cast<std::size_t>(x.divisor)); },
          [](const Modulo &x) { return mix(x.numerator.hash(), static_cast<std::size_t>(x.divisor)); },
          [](const Product &x) { return mix(x.left.hash(), x.right.hash()); },
          [](const Minimum &x) { return hash_of(x.of); },
          [](const Maximum &x) { return hash_of(x.of); },
          [](const Compare &x) { return mix(static_cast<std::size_t>(x.relation), x.left.hash()); },
          [](const And &x) { return hash_of(x.parts); },
          [](const Or &x) { return hash_of(x.parts); },
          [](const Not &x) { return x.of.hash(); },
      },
      kind);
  return mix(seed, kind.index());
}

Term make(Kind kind) {
  std::size_t hash = hash_of(kind);
  return Term(std::make_shared<const Node>(Node{std::move(kind), hash}));
}

Term from_linear(Linear linear) {
  if (linear.parts.empty()) return Term(linear.constant);
  if (linear.parts.size() == 1 && linear.parts[0].second == 1 && linear.constant == 0)
    return linear.parts[0].first;
  return make(std::move(linear));
}

/// a + factor * b by merging the sorted parts.
Linear combine(const Linear &a, const Linear &b, std::int64_t factor) {
  Linear sum;
  sum.constant = add_exact(a.constant, multiply_exact(factor, b.constant));
  auto x = a.parts.begin();
  auto y = b.parts.begin();
  while (x != a.parts.end() || y != b.parts.end()) {
    if (y == b.parts.end() || (x != a.parts.end() && x->first < y->first)) {
      sum.parts.push_back(*x++);
    } else if (x == a.parts.end() || y->first < x->first) {
      sum.parts.emplace_back(y->first, multiply_exact(factor, y->second));
      ++y;
    } else {
      std::int64_t coefficient = add_exact(x->second, multiply_exact(factor, y->second));
      if (coefficient != 0) sum.parts.emplace_back(x->first, coefficient);
      ++x, ++y;
    }
  }
  return sum;
}

std::int64_t divisor_of_parts(const Linear &linear) {
  std::int64_t divisor = 0;
  for (const auto &part : linear.parts)
    divisor = std::gcd(divisor, part.second);
  return divisor;
}

Linear divide_parts(Linear linear, std::int64_t divisor) {
  for (auto &part : linear.parts)
    part.second /= divisor;
  linear.constant = floor_quotient(linear.constant, divisor);
  return linear;
}

/// The one of several terms that is always smallest (sign = 1) or largest (-1), where constants decide.
template <class Extreme> Term extreme(std::vector<Term> of, int sign) {
  std::vector<Term> kept;
  for (const Term &candidate : of) {
    bool drop = false;
    for (Term &other : kept) {
      std::int64_t difference = 0;
      if (!constant_difference(other, candidate, difference)) continue;
      if (difference * sign < 0) other = candidate;
      drop = true;
      break;
    }
    if (!drop) kept.push_back(candidate);
  }
  if (kept.size() == 1) return kept[0];
  return make(Extreme{std::move(kept)});
}

template <class Same, class Other> Term join(std::vector<Term> parts) {
  std::vector<Term> flat;
  for (const Term &part : parts) {
    if (const auto *other = part.as<Other>(); other && other->parts.empty()) return part;
    if (const auto *same = part.as<Same>()) {
      for (const Term &inner : same->parts)
        if (!contains(flat, inner)) flat.push_back(inner);
    } else if (!contains(flat, part)) {
      flat.push_back(part);
    }
  }
  if (flat.size() == 1) return flat[0];
  return make(Same{std::move(flat)});
}

} // namespace

Term::Term() : Term(std::int64_t{0}) {}

Term::Term(std::int64_t constant) {
  static const Term zero = make(Constant{0});
  *this = constant == 0 && zero.node_ ? zero : make(Constant{constant});
}

Term variable(std::string name) {
  return make(Variable{std::move(name)});
}

Term apply(std::string function, std::vector<Term> arguments) {
  return make(Apply{std::move(function), std::move(arguments)});
}

Linear linear_form(const Term &term) {
  if (const auto *constant = term.as<Constant>()) return Linear{{}, constant->value};
  if (const auto *linear = term.as<Linear>()) return *linear;
  return Linear{{{term, 1}}, 0};
}

Term operator+(const Term &a, const Term &b) {
  return from_linear(combine(linear_form(a), linear_form(b), 1));
}
Term operator-(const Term &a, const Term &b) {
  return from_linear(combine(linear_form(a), linear_form(b), -1));
}
Term operator-(const Term &a) {
  return Term() - a;
}

Term scale(std::int64_t factor, const Term &a) {
  if (factor == 0) return Term();
  if (factor == 1) return a;
  return from_linear(combine(Linear{}, linear_form(a), factor));
}

Term multiply(const Term &a, const Term &b) {
  if (const auto *constant = a.as<Constant>()) return scale(constant->value, b);
  if (const auto *constant = b.as<Constant>()) return scale(constant->value, a);
  return make(Product{a, b});
}

Term floor_divide(const Term &a, std::int64_t divisor) {
  report::require(divisor > 0, "division by a positive constant");
  if (divisor == 1) return a;
  Linear linear = linear_form(a);
  if (linear.parts.empty()) return Term(floor_quotient(linear.constant, divisor));
  if (divisor_of_parts(linear) % divisor == 0) return from_linear(divide_parts(std::move(linear), divisor));
  return make(FloorDivide{divisor, a});
}

Term ceil_divide(const Term &a, std::int64_t divisor) {
  return floor_divide(a + Term(divisor - 1), divisor);
}

Term modulo(const Term &a, std::int64_t divisor) {
  report::require(divisor > 0, "modulo a positive constant");
  if (divisor == 1) return Term();
  Linear linear = linear_form(a);
  if (divisor_of_parts(linear) % divisor == 0)
    return Term(linear.constant - divisor * floor_quotient(linear.constant, divisor));
  return make(Modulo{divisor, a});
}

Term minimum(std::vector<Term> of) {
  return extreme<Minimum>(std::move(of), 1);
}
Term maximum(std::vector<Term> of) {
  return extreme<Maximum>(std::move(of), -1);
}

Term truth() {
  static const Term result = make(And{});
  return result;
}

Term falsity() {
  static const Term result = make(Or{});
  return result;
}

bool is_true(const Term &formula) {
  const auto *parts = formula.as<And>();
  return parts && parts->parts.empty();
}

bool is_false(const Term &formula) {
  const auto *parts = formula.as<Or>();
  return parts && parts->parts.empty();
}

Term equal(const Term &a, const Term &b) {
  Linear difference = linear_form(a - b);
  if (difference.parts.empty()) return difference.constant == 0 ? truth() : falsity();
  std::int64_t divisor = divisor_of_parts(difference);
  if (difference.constant % divisor != 0) return falsity();
  difference = divide_parts(std::move(difference), divisor);
  if (difference.parts[0].second < 0) difference = combine(Linear{}, difference, -1);
  return make(Compare{Relation::Equal, from_linear(std::move(difference))});
}

Term at_most(const Term &a, const Term &b) {
  Linear difference = linear_form(b - a);
  if (difference.parts.empty()) return difference.constant >= 0 ? truth() : falsity();
  return make(
      Compare{Relation::AtLeast, from_linear(divide_parts(difference, divisor_of_parts(difference)))});
}

Term less(const Term &a, const Term &b) {
  return at_most(a + Term(1), b);
}

Term conjunction(std::vector<Term> parts) {
  return join<And, Or>(std::move(parts));
}
Term disjunction(std::vector<Term> parts) {
  return join<Or, And>(std::move(parts));
}

Term negation(const Term &formula) {
  if (is_true(formula)) return falsity();
  if (is_false(formula)) return truth();
  if (const auto *inner = formula.as<Not>()) return inner->of;
  if (const auto *compare = formula.as<Compare>(); compare && compare->relation == Relation::AtLeast)
    return less(compare->left, Term());
  return make(Not{formula});
}

Term implication(const Term &hypothesis, const Term &conclusion) {
  return disjunction({negation(hypothesis), conclusion});
}

Term between(const Term &low, const Term &a, const Term &high) {
  return conjunction({at_most(low, a), less(a, high)});
}

std::vector<Term> conjuncts(const Term &formula) {
  if (const auto *both = formula.as<And>()) return both->parts;
  return {formula};
}

bool constant_difference(const Term &a, const Term &b, std::int64_t &difference) {
  Linear linear = linear_form(b - a);
  difference = linear.constant;
  return linear.parts.empty();
}

} // namespace unravel::term
