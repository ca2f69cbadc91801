#include "scan/divided.h"

#include "scan/reasons.h"
#include "schedule/sequence.h"

#include <algorithm>

namespace unravel::scan {

using term::Term;

namespace {

const Level *level_of(const Nest &nest, const std::string &variable) {
  auto found = std::find_if(nest.levels.begin(), nest.levels.end(),
                            [&](const Level &level) { return level.variable == variable; });
  return found == nest.levels.end() ? nullptr : &*found;
}

/// What a level says of its variable.
std::vector<Term> conditions_of(const Level &level) {
  std::vector<Term> result;
  for (const Part &part : parts_of(level))
    for (const Term &condition : term::conjuncts(part.condition))
      result.push_back(condition);
  return result;
}

} // namespace

DividedNest scan_divided(const combine::IterationSpace &space, const schedule::Order &order,
                         const std::vector<prove::Axiom> &axioms,
                         const std::map<std::string, std::vector<Term>> &arrays) {
  const combine::IterationSpace undivided = schedule::undivided(space);
  const std::vector<std::string> variables = undivided.variables();
  schedule::Order first;
  for (const std::string &variable : order)
    if (std::find(variables.begin(), variables.end(), variable) != variables.end()) first.push_back(variable);
  DividedNest result;
  result.nest = scan_space(undivided, first, axioms, arrays);
  result.instances = result.nest.levels.size();
  const Nest whole = scan_space(space, order, axioms, arrays);
  std::vector<Term> more; // that the whole nest says at levels of the instances
  for (const Level &level : whole.levels) {
    const Level *known = level_of(result.nest, level.variable);
    if (!known) {
      result.nest.levels.push_back(level);
      continue;
    }
    const std::vector<Term> said = conditions_of(*known);
    for (const Term &part : conditions_of(level))
      if (std::find(said.begin(), said.end(), part) == said.end()) more.push_back(part);
  }
  for (const Term &part : more) {
    std::size_t level = result.nest.levels.size();
    while (level > result.instances && !term::mentions(part, result.nest.levels[level - 1].variable))
      --level;
    if (level > result.instances)
      result.nest.levels[level - 1].guards.push_back(part);
    else
      result.conditions.push_back(part);
  }
  if (result.instances > 0) {
    std::vector<Term> &guards = result.nest.levels[result.instances - 1].guards;
    guards.insert(guards.end(), result.conditions.begin(), result.conditions.end());
  }
  return result;
}

} // namespace unravel::scan
