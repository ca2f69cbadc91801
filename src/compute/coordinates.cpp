#include "compute/coordinates.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace unravel::compute {

using term::Term;

namespace {

/// Greater factors are multiplied with as values are: indices are integers of 64 bits, which must not
/// overflow.
constexpr double most_scaled = 65536;

/// coordinates * rest
struct AffineTerm {
  Term coordinates;
  Value rest;
};

std::optional<AffineTerm> affine_term(const Value &term) {
  const auto quotient = value::quotient_of(term);
  if (!quotient.divisors.empty() || std::trunc(quotient.constant) != quotient.constant ||
      std::fabs(quotient.constant) > most_scaled)
    return std::nullopt;
  AffineTerm made{Term(1), {}};
  const auto is_coordinate = [](const Value &factor) { return std::holds_alternative<Term>(factor.kind); };
  std::vector<Value> rest;
  for (const Value &factor : quotient.factors)
    if (!is_coordinate(factor))
      rest.push_back(factor);
    else if (made.coordinates == Term(1))
      made.coordinates = std::get<Term>(factor.kind);
    else
      return std::nullopt;
  made.coordinates = term::scale(static_cast<std::int64_t>(quotient.constant), made.coordinates);
  made.rest = value::product(rest);
  return made;
}

bool has_coordinates(const Value &value) {
  bool found = false;
  value::each_leaf<Term>(value, [&](const Term &) { found = true; });
  return found;
}

/// As a sum of coordinates and whole numbers, if it is one.
std::optional<Term> affine_value(const Value &value) {
  Term sum(0);
  for (const Value &part : value::parts_by(value::Operator::Add, value)) {
    const std::optional<AffineTerm> term = affine_term(part);
    const double *rest = term ? value::number_of(term->rest) : nullptr;
    if (!rest || *rest != 1) return std::nullopt;
    sum = sum + term->coordinates;
  }
  return sum;
}

Value joined(const AffineTerm &term) {
  const auto *number = term.coordinates.as<term::Constant>();
  const Value coordinates =
      number ? Value{value::Number{static_cast<double>(number->value)}} : Value{term.coordinates};
  return value::product(std::vector<Value>{term.rest, coordinates});
}

} // namespace

std::set<std::string> indices_in(const Value &value) {
  std::set<std::string> indices;
  value::each_leaf<Access>(value, [&](const Access &access) {
    for (const Subscript &subscript : access.subscripts)
      indices.insert(subscript.index);
  });
  each_coordinate(value, [&](const std::string &name) { indices.insert(name); });
  return indices;
}

term::Term equalities_in(const Value &term) {
  std::vector<Term> all;
  for (const Value &factor : value::quotient_of(term).factors)
    if (const auto *sides = value::arguments_of(value::Operator::Equal, factor)) {
      const std::optional<Term> left = affine_value(sides->front()), right = affine_value(sides->back());
      if (left && right) all.push_back(term::equal(*left, *right));
    }
  return term::conjunction(std::move(all));
}

Sum with_affine_factors(Sum sum, const std::function<std::set<std::string>(const Value &)> &summed) {
  if (sum.size() < 2 || std::ranges::none_of(sum, has_coordinates)) return sum;
  struct Group {
    Value written; // while it is one term
    std::optional<AffineTerm> made;
    std::set<std::string> indices;
    int terms = 1;
  };
  std::vector<Group> groups;
  for (Value &term : sum) {
    Group one{term, affine_term(term), summed ? summed(term) : std::set<std::string>()};
    const auto known = std::ranges::find_if(groups, [&](const Group &group) {
      return one.made && group.made && group.indices == one.indices &&
             to_text(group.made->rest) == to_text(one.made->rest);
    });
    if (known == groups.end()) {
      groups.push_back(std::move(one));
      continue;
    }
    known->made->coordinates = known->made->coordinates + one.made->coordinates;
    ++known->terms;
  }
  Sum all;
  for (const Group &group : groups)
    all.push_back(group.terms == 1 ? group.written : joined(*group.made));
  return all;
}

} // namespace unravel::compute
