#include "scan/reasons.h"

#include "scan/known.h"

#include <algorithm>
#include <numeric>

namespace unravel::scan {

using term::Term;

namespace {

class Reasons {
public:
  Reasons(const combine::IterationSpace &space, const std::vector<prove::Axiom> &axioms)
      : constraints_(term::conjuncts(space.relation)), axioms_(axioms),
        applications_(applications_in(space.relation)) {}

  std::vector<Reason> of(const Level &level) {
    const std::vector<Term> outside = given_;
    std::vector<Term> own;
    std::vector<Reason> result;
    for (const Part &part : parts_of(level)) {
      given_ = outside;
      if (part.role == Part::Role::Guard) given_.insert(given_.end(), own.begin(), own.end());
      result.push_back(reason(part, level.variable));
      if (part.role != Part::Role::Guard) own.push_back(part.condition);
    }
    given_ = outside;
    for (const Reason &each : result)
      given_.push_back(each.part.condition);
    return result;
  }

private:
  static std::set<Term> applications_in(const Term &formula) {
    std::vector<Term> all = term::applications_of(formula);
    return {all.begin(), all.end()};
  }

  bool follows(const Part &part, const std::vector<std::size_t> &from, bool with_facts) const {
    Facts facts(axioms_);
    Known known;
    known.add(facts.about_sizes());
    for (const Term &each : given_)
      known.add(each);
    for (std::size_t k : from)
      known.add(constraints_[k]);
    if (with_facts) facts.extend(known, applications_);
    return known.implies(part.condition);
  }

  /// How much a constraint has to do with the condition.
  std::size_t closeness(std::size_t constraint, const Part &part, const std::string &variable) const {
    if (constraints_[constraint] == part.condition) return 1000;
    const std::set<std::string> own = term::variables_of(constraints_[constraint]);
    std::size_t shared = own.contains(variable) ? 100 : 0;
    for (const std::string &name : term::variables_of(part.condition))
      shared += own.contains(name);
    return shared;
  }

  Reason reason(const Part &part, const std::string &variable) const {
    Reason reason{part, {}, false, true};
    std::vector<std::size_t> all(constraints_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    // Those that have least to do with it are left out first.
    std::vector<std::size_t> kept = all;
    std::ranges::stable_sort(kept, [&](std::size_t a, std::size_t b) {
      return closeness(a, part, variable) < closeness(b, part, variable);
    });
    if (!follows(part, kept, false)) {
      reason.with_facts = true;
      reason.proved = follows(part, kept, true);
    }
    if (!reason.proved) {
      std::ranges::copy_if(all, std::back_inserter(reason.constraints),
                           [&](std::size_t k) { return term::mentions(constraints_[k], variable); });
      return reason;
    }
    for (std::size_t k = 0; k < kept.size();) {
      std::vector<std::size_t> without = kept;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(k));
      if (follows(part, without, reason.with_facts))
        kept = std::move(without);
      else
        ++k;
    }
    std::ranges::sort(kept);
    reason.constraints = std::move(kept);
    return reason;
  }

  const std::vector<Term> constraints_;
  const std::vector<prove::Axiom> &axioms_;
  const std::set<Term> applications_;
  std::vector<Term> given_; // by the levels outside
};

} // namespace

std::vector<Part> parts_of(const Level &level) {
  using Role = Part::Role;
  const Term variable = term::variable(level.variable);
  std::vector<Part> parts;
  if (level.is_let()) {
    parts.push_back({Role::Value, term::equal(variable, level.value)});
  } else {
    parts.push_back({Role::Lower, term::at_most(level.lower, variable)});
    parts.push_back({Role::Upper, term::less(variable, level.upper)});
  }
  for (const Component &component : level.components)
    parts.push_back({Role::Match, component.is_equality() ? term::equal(component.key, component.target)
                                                          : term::between(component.key, component.target,
                                                                          component.key + component.width)});
  for (const Term &guard : level.guards)
    parts.push_back({Role::Guard, guard});
  return parts;
}

std::vector<std::vector<Reason>> reasons_of(const combine::IterationSpace &space, const Nest &nest,
                                            const std::vector<prove::Axiom> &axioms) {
  Reasons reasons(space, axioms);
  std::vector<std::vector<Reason>> result;
  for (const Level &level : nest.levels)
    result.push_back(reasons.of(level));
  return result;
}

} // namespace unravel::scan
