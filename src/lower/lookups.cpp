#include "lower/lookups.h"

#include "lower/values.h"

#include "loop/walk.h"

#include <algorithm>

namespace unravel::lower {

using Wanted = combine::Lookup::Wanted;
using term::Term;

namespace {

std::string found(const combine::Lookup &lookup) {
  return lookup.name + ".found";
}

bool has_value(const combine::Lookup &lookup) {
  return !lookup.is_mask();
}

/// Does it matter whether anything was found?
bool tells_misses(const combine::Lookup &lookup) {
  return lookup.wanted != Wanted::Element || lookup.fill != 0;
}

} // namespace

std::string value_of_lookup(const combine::Lookup &lookup) {
  return lookup.name + ".element";
}

loop::Block before_search(const combine::Lookup &lookup, value::Type type) {
  loop::Block block;
  if (has_value(lookup))
    block.push_back({loop::DeclareValue{value_of_lookup(lookup), {loop::Number{0}}, declared(type)}});
  if (tells_misses(lookup)) block.push_back({loop::Declare{found(lookup), Term(0)}});
  return block;
}

loop::Block at_match(const combine::Lookup &lookup, std::size_t number) {
  const combine::Place &place = lookup.places[number];
  loop::Block block;
  if (has_value(lookup)) {
    const auto stored = [&](const combine::Read &) -> loop::Value {
      if (place.operand.is_scalar()) return {loop::Local{place.operand.local}};
      return {loop::Element{place.operand.array, place.operand.slot}};
    };
    block.push_back({loop::Accumulate{loop::Local{value_of_lookup(lookup)},
                                      value::map_leaves<loop::Value>(place.value, stored)}});
  }
  if (tells_misses(lookup)) block.push_back({loop::Assign{found(lookup), Term(1)}});
  return block;
}

loop::Block behind_search(const combine::Lookup &lookup, loop::Block inside) {
  if (!tells_misses(lookup)) return inside;
  const Term is_missing = term::equal(term::variable(found(lookup)), Term(0));
  if (lookup.wanted == Wanted::Absence) return {{loop::If{is_missing, std::move(inside), "it isn't stored"}}};
  if (lookup.wanted == Wanted::Presence)
    return {{loop::If{term::negation(is_missing), std::move(inside), "it is stored"}}};
  if (lookup.wanted == Wanted::Element) {
    loop::Block filled{{loop::Store{loop::Local{value_of_lookup(lookup)}, {loop::Number{lookup.fill}}}}};
    inside.insert(inside.begin(), {loop::If{is_missing, std::move(filled), "its fill"}});
    return inside;
  }
  return {{loop::If{is_missing, {{loop::Miss{}}}, "the divisor isn't stored", std::move(inside)}}};
}

std::size_t looked_up_before(const LeafPlan &plan, std::size_t lookup, std::optional<std::size_t> parallel) {
  std::size_t level = parallel ? *parallel + 1 : 0;
  bool is_searched = false;
  for (const plan::Search &search : plan.searches)
    if (search.lookup == lookup) level = std::max(level, search.before), is_searched = true;
  return is_searched ? level : plan.visits();
}

bool begins_state_at(const LeafPlan &plan, const plan::LevelPlan &find, const plan::Search *search,
                     std::size_t level) {
  const std::size_t state = find.walk()->state_level;
  if (find.level < plan.visits() || state < plan.visits()) return state == level;
  return search && search->first <= find.level && find.level < search->end &&
         std::max(state, search->first) == level;
}

LeafPlan with_repeated_lookups(LeafPlan plan) {
  for (const plan::Search &search : plan.searches) {
    if (!plan.parallel || *plan.parallel < search.before) continue;
    for (plan::LevelPlan &level : plan.finds.levels)
      if (auto *walk = level.as<plan::Walk>();
          walk && search.first <= level.level && level.level < search.end)
        walk->advance = false;
  }
  for (plan::Alternative &other : plan.alternatives)
    other.plan = with_repeated_lookups(std::move(other.plan));
  return plan;
}

bool stands_behind_mask(const combine::IterationSpace &space, const LeafPlan &plan,
                        std::optional<std::size_t> parallel, std::size_t level) {
  for (std::size_t k = 0; k < space.lookups.size(); ++k)
    if (space.lookups[k].is_mask() && looked_up_before(plan, k, parallel) < level) return true;
  return false;
}

} // namespace unravel::lower
