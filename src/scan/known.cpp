// What is known at a level of a nest.
#include "scan/known.h"

#include "term/quotient.h"

#include <algorithm>

namespace unravel::scan {

using term::Term;

void Known::add(const term::Term &formula) {
  if (term::is_true(formula)) return;
  added_.push_back(formula);
  stated_.add(formula);
  points_.keep_where(formula);
}

bool Known::implies(const term::Term &formula) {
  if (std::optional<bool> answer = stated_.implies(formula)) return *answer;
  if (points_.refute(formula)) return false;
  const std::optional<Points::Point> point = set().subtract(space::Set(formula)).sample();
  if (point && !point->empty()) points_.add(*point);
  return !point;
}

term::Term Known::left_of(const space::Set &set) {
  std::optional<std::vector<term::Term>> parts = set.plain_constraints();
  if (parts)
    if (std::optional<std::vector<term::Term>> left = left_of(*parts))
      return term::conjunction(std::move(*left));
  return set.gist(this->set()).coalesce().formula();
}

const space::Set &Known::set() {
  if (!added_.empty()) set_ = set_.intersect(space::Set(term::conjunction(added_)));
  added_.clear();
  return set_;
}

namespace {

/// More than these are seldom asked.
constexpr std::size_t most_points = 16;

} // namespace

void Points::add(const Point &point) {
  if (points_.size() == most_points) points_.erase(points_.begin());
  points_.emplace_back(point.begin(), point.end());
}

void Points::keep_where(const Term &formula) {
  std::erase_if(points_, [&](const Values &point) { return value_at(point, formula) != 1; });
}

bool Points::refute(const Term &formula) const {
  return std::any_of(points_.rbegin(), points_.rend(),
                     [&](const Values &point) { return value_at(point, formula) == 0; });
}

std::optional<std::int64_t> Points::value_at(const Values &point, const Term &term) {
  using Value = std::optional<std::int64_t>;
  auto of_atom = [&](const auto &) -> Value {
    const auto found = point.find(term);
    return found == point.end() ? 0 : found->second;
  };
  // the first of the parts' values that decides, or else `otherwise`
  auto first_of = [&](const std::vector<Term> &parts, std::int64_t decides) -> Value {
    bool all_known = true;
    for (const Term &part : parts) {
      const Value value = value_at(point, part);
      if (value == decides) return value;
      all_known = all_known && value;
    }
    return all_known ? Value(1 - decides) : std::nullopt;
  };
  auto extreme = [&](const std::vector<Term> &parts, bool largest) -> Value {
    Value result;
    for (const Term &part : parts) {
      const Value value = value_at(point, part);
      if (!value) return std::nullopt;
      if (!result || (largest ? *value > *result : *value < *result)) result = value;
    }
    return result;
  };
  return std::visit(
      term::overloaded{[](const term::Constant &x) -> Value { return x.value; },
                       [&](const term::Variable &x) -> Value { return of_atom(x); },
                       [&](const term::Apply &x) -> Value { return of_atom(x); },
                       [&](const term::Product &x) -> Value { return of_atom(x); },
                       [&](const term::Linear &x) -> Value {
                         std::int64_t sum = x.constant;
                         for (const auto &[atom, coefficient] : x.parts) {
                           const Value value = value_at(point, atom);
                           std::int64_t scaled = 0;
                           if (!value || __builtin_mul_overflow(*value, coefficient, &scaled) ||
                               __builtin_add_overflow(sum, scaled, &sum))
                             return std::nullopt;
                         }
                         return sum;
                       },
                       [&](const term::FloorDivide &x) -> Value {
                         const Value value = value_at(point, x.numerator);
                         return value ? Value(term::floor_quotient(*value, x.divisor)) : std::nullopt;
                       },
                       [&](const term::Modulo &x) -> Value {
                         const Value value = value_at(point, x.numerator);
                         return value ? Value(*value - x.divisor * term::floor_quotient(*value, x.divisor))
                                      : std::nullopt;
                       },
                       [&](const term::Minimum &x) -> Value { return extreme(x.of, false); },
                       [&](const term::Maximum &x) -> Value { return extreme(x.of, true); },
                       [&](const term::Compare &x) -> Value {
                         const Value value = value_at(point, x.left);
                         if (!value) return std::nullopt;
                         return x.relation == term::Relation::Equal ? *value == 0 : *value >= 0;
                       },
                       [&](const term::And &x) -> Value { return first_of(x.parts, 0); },
                       [&](const term::Or &x) -> Value { return first_of(x.parts, 1); },
                       [&](const term::Not &x) -> Value {
                         const Value value = value_at(point, x.of);
                         return value ? Value(1 - *value) : std::nullopt;
                       }},
      term.node().kind);
}

} // namespace unravel::scan
