#include "lower/clearing.h"

#include "space/set.h"

#include <set>
#include <string>

namespace unravel::lower {

using scan::Level;
using term::Term;

namespace {

/// The same for a result with an operand's structure: the levels before run over its places, and nothing but
/// these, so they enforce the places' relation, and the relation implies their bounds.
std::optional<std::size_t> covering_places(const combine::IterationSpace &space, const scan::Nest &nest) {
  std::set<std::string> open(space.target.positions.begin(), space.target.positions.end());
  for (const Term &coordinate : space.target.coordinates)
    open.insert(coordinate.as<term::Variable>()->name);
  Term limits = term::truth();
  std::size_t index = 0;
  for (; index < nest.levels.size() && !open.empty(); ++index) {
    const Level &level = nest.levels[index];
    if (level.kind == Level::Kind::Find || !level.guards.empty()) return std::nullopt;
    if (open.erase(level.variable) == 0) {
      if (level.kind != Level::Kind::Let) return std::nullopt;
      continue; // another operand's position, which follows
    }
    Term variable = term::variable(level.variable);
    limits = term::conjunction({limits, level.kind == Level::Kind::Let
                                            ? term::equal(variable, level.value)
                                            : term::between(level.lower, variable, level.upper)});
  }
  bool all = open.empty() && space::Set(space.places).is_subset(space::Set(limits));
  return all ? std::optional(index) : std::nullopt;
}

/// The first level at which the target's slot is known, if the levels before it visit every slot exactly
/// once: then the slot is set there, and the result needs no clearing.
std::optional<std::size_t> covering_prefix(const combine::IterationSpace &space, const scan::Nest &nest,
                                           const std::map<std::string, Term> &extents) {
  std::set<std::string> looped;
  std::set<std::string> coordinates;
  for (const Term &coordinate : space.target.coordinates) {
    const auto *plain = coordinate.as<term::Variable>();
    if (!plain || !coordinates.insert(plain->name).second) return std::nullopt;
  }
  std::size_t index = 0;
  for (; index < nest.levels.size() && looped.size() < coordinates.size(); ++index) {
    const Level &level = nest.levels[index];
    if (level.kind == Level::Kind::Find || !level.guards.empty()) return std::nullopt;
    if (level.kind == Level::Kind::Let) continue;
    // The whole range of the coordinate.
    auto extent = extents.find(level.variable);
    if (!coordinates.count(level.variable) || level.lower != Term(0) || extent == extents.end() ||
        level.upper != extent->second)
      return std::nullopt;
    looped.insert(level.variable);
  }
  if (looped != coordinates) return std::nullopt;
  // Assignments to positions of the result may follow: they hold everywhere.
  while (index < nest.levels.size() && nest.levels[index].kind == Level::Kind::Let &&
         nest.levels[index].guards.empty())
    ++index;
  return index;
}

} // namespace

std::optional<std::size_t> Clearing::where(const LeafPlan &plan) const {
  if (plan.owned) return owns_slots(plan) ? plan.parallel : std::nullopt;
  std::optional<std::size_t> level = space_.target.structure.empty()
                                         ? covering_prefix(space_, plan.nest, combination_.extents)
                                         : covering_places(space_, plan.nest);
  bool behind_choice = !plan.alternatives.empty() && plan.split > 0 && level > plan.split;
  return behind_choice ? std::nullopt : level;
}

/// Are chunks of the found variable chunks of the slots?
bool Clearing::owns_slots(const LeafPlan &plan) const {
  const Level &found = plan.nest.levels[*plan.parallel];
  auto extent = combination_.extents.find(found.variable);
  return space_.target.slot == term::variable(found.variable) && found.lower == Term(0) &&
         extent != combination_.extents.end() && extent->second == found.upper;
}

loop::Zero Clearing::everything() const {
  return clear(combination_);
}

loop::Zero clear(const combine::Combination &combination) {
  Term count(1);
  for (const Term &extent : combination.arrays.at(combination.target.array))
    count = term::multiply(count, extent);
  return {combination.target.array, count};
}

} // namespace unravel::lower
