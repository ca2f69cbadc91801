#include "scan/scan.h"

#include "scan/reasons.h"
#include "term/children.h"
#include "text/contains.h"

#include <algorithm>

namespace unravel::scan {

using term::Term;

namespace {

/// What a level says of its variable.
std::vector<Term> conditions_of(const Level &level) {
  std::vector<Term> result;
  for (const Part &part : parts_of(level))
    for (const Term &condition : term::conjuncts(part.condition))
      result.push_back(condition);
  return result;
}

/// Behind how many of the levels all variables of the terms are known.
std::size_t known_behind(const std::vector<Level> &levels, const std::vector<Term> &terms) {
  std::size_t behind = levels.size();
  while (behind > 0 && std::ranges::none_of(terms, [&](const Term &term) {
           return term::mentions(term, levels[behind - 1].variable);
         }))
    --behind;
  return behind;
}

} // namespace

Search scan_search(const combine::IterationSpace &space, const combine::Place &place,
                   const schedule::Order &order, const Nest &instances, std::size_t least,
                   const std::vector<prove::Axiom> &axioms,
                   const std::map<std::string, std::vector<Term>> &arrays) {
  Search result{space, {}, {}, {}};
  combine::IterationSpace &together = result.space;
  const std::vector<std::string> &positions = place.operand.positions;
  together.operands.push_back(place.operand);
  together.positions.insert(together.positions.end(), positions.begin(), positions.end());
  together.relation = term::conjunction({space.relation, place.relation});
  std::vector<parse::Name> first;
  for (const std::string &variable : order)
    first.push_back({variable, {}});
  result.order = schedule::complete_order(together, first);
  const Nest whole = scan_space(together, result.order, axioms, arrays);

  std::set<Term> said;
  std::set<std::string> visited;
  for (const Level &level : instances.levels) {
    visited.insert(level.variable);
    for (const Term &condition : conditions_of(level))
      said.insert(condition);
  }
  std::vector<Level> own;
  std::vector<Term> more; // that the whole nest says at levels of the instances
  for (const Level &level : whole.levels)
    if (!visited.contains(level.variable))
      own.push_back(level);
    else
      for (const Term &part : conditions_of(level))
        if (!said.contains(part)) more.push_back(part);
  for (const Term &part : more) {
    const std::size_t behind = known_behind(own, {part});
    (behind > 0 ? own[behind - 1].guards : result.conditions).push_back(part);
  }
  std::vector<Term> needed = result.conditions;
  needed.push_back(place.operand.slot);
  for (const Level &level : own) {
    const std::vector<Term> here = conditions_of(level);
    needed.insert(needed.end(), here.begin(), here.end());
  }
  const std::size_t behind = std::max(least, known_behind(instances.levels, needed));
  // What the instances say further in only, of what is needed here: there may be no instance.
  term::Substitution values; // of what is only assigned further in
  for (std::size_t k = behind; k < instances.levels.size(); ++k) {
    const Level &level = instances.levels[k];
    if (level.is_let()) values.emplace(level.variable, term::substitute(level.value, values));
    for (const Term &said_there : conditions_of(level)) {
      const Term condition = term::substitute(said_there, values);
      const std::set<std::string> variables = term::variables_of(condition);
      if (known_behind(instances.levels, {condition}) <= behind &&
          std::ranges::any_of(needed,
                              [&](const Term &each) { return term::mentions_any(each, variables); }) &&
          !contains(result.conditions, condition))
        result.conditions.push_back(condition);
    }
  }
  result.nest = instances;
  // What is known before the instances' levels end would be read in front of the conditions that keep it
  // inside its array.
  const auto is_behind = [&](const Term &load) { return known_behind(own, {load}) > 0; };
  for (const Term &load : whole.safe_loads)
    if (result.conditions.empty() || is_behind(load)) result.nest.safe_loads.insert(load);
  result.nest.levels.resize(behind);
  result.nest.instances = behind;
  if (behind > 0) {
    std::vector<Term> &guards = result.nest.levels.back().guards;
    guards.insert(guards.end(), result.conditions.begin(), result.conditions.end());
  }
  result.nest.levels.insert(result.nest.levels.end(), own.begin(), own.end());
  return result;
}

} // namespace unravel::scan
