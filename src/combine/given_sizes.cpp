#include "combine/given_sizes.h"

#include "text/contains.h"

#include <algorithm>

namespace unravel::combine {

using space::Set;
using term::Term;

namespace {

/// Has the set points at which all of the sizes are large, however large?
bool is_unbounded(const Set &set, const std::set<Term> &sizes) {
  const Term least = term::variable("@least");
  std::vector<Term> above;
  for (const Term &size : sizes)
    above.push_back(term::at_most(least, size));
  const Set reached = set.intersect(Set(term::conjunction(std::move(above)))).project([&](const Term &atom) {
    return atom != least;
  });
  return Set(term::at_most(Term(0), least)).is_subset(reached);
}

} // namespace

std::optional<Term> sizes_inside(const Set &instances, const Set &outside, const Set &sizes,
                                 const std::vector<std::string> &given) {
  if (given.empty()) return std::nullopt;
  auto is_given = [&](const Term &atom) {
    const auto *variable = atom.as<term::Variable>();
    return variable && contains(given, variable->name);
  };
  std::set<Term> known = sizes.atoms(); // of tensors
  std::erase_if(known, is_given);
  auto is_no_size = [&](const Term &atom) { return !known.contains(atom) && !is_given(atom); };
  const Set some = instances.project(is_no_size), wrong = outside.project(is_no_size);
  const Set good = some.subtract(wrong);
  if (is_unbounded(some.project(is_given).subtract(good.project(is_given)), known)) return std::nullopt;
  // Two different choices for the same tensors.
  term::Substitution others;
  std::vector<Term> same;
  for (const std::string &size : given) {
    const Term other = term::variable("@" + size);
    others.emplace(size, other);
    same.push_back(term::equal(term::variable(size), other));
  }
  const Set pairs = good.intersect(Set(term::substitute(good.formula(), others)));
  if (pairs.is_subset(Set(term::conjunction(same)))) return std::nullopt;
  // Not (a and b, or c): not a or not b, and not c.
  const Term formula = wrong.coalesce().gist(sizes).formula();
  const auto *several = formula.as<term::Or>();
  std::vector<Term> needed;
  for (const Term &piece : several ? several->parts : std::vector<Term>{formula}) {
    std::vector<Term> one_of;
    for (const Term &part : term::conjuncts(piece))
      one_of.push_back(term::negation(part));
    needed.push_back(term::disjunction(std::move(one_of)));
  }
  return term::conjunction(std::move(needed));
}

Term over_own_sizes(const Term &formula, const term::Substitution &size_of) {
  term::Substitution names;
  for (const auto &[name, size] : size_of)
    names.emplace(size.as<term::Variable>()->name, term::variable(name));
  return term::substitute(formula, names);
}

std::string name_of_size(const Term &atom, const term::Substitution &size_of) {
  for (const auto &[name, size] : size_of)
    if (size == atom) return name;
  return term::to_text(atom);
}

} // namespace unravel::combine
