// Dense map: what a key leads to, in an array over the range of the keys.
//
// The map is filled from the whole segment before the outermost level from which on segment and keys are
// fixed. A visit then reads one element. With positions in the map, a hit is tested again (does the position
// lie in the segment, does its key match): so the map may hold anything else, such as what an earlier segment
// left, and needs neither clearing nor a proof about other segments. If a match q exists, the map leads to
// it: it was put there, and by O-uniq no other position has its key. With values, absence is what is not
// stored, so the map is cleared after use. That keys lie within the array is proved of the place where the
// map is filled (O-range); that targets do is proved or tested (O-target).
#include "find/map.h"

#include "find/state.h"
#include "find/templates.h"
#include "term/solve.h"
#include "text/contains.h"

#include <algorithm>

namespace unravel::find {

using term::Term;

namespace {

/// Terms over sizes that a property compares an array with: `range col in [0, N)` makes N a candidate for the
/// range of keys that read `col`. The prover decides.
std::vector<Term> range_candidates(const Obligations &obligations, const Term &key) {
  std::vector<Term> reads = term::applications_of(key);
  std::vector<Term> candidates;
  if (reads.size() != 1) return candidates;
  const std::string &function = reads.front().as<term::Apply>()->function;
  Term shift = key - reads.front();
  for (const prove::Axiom &axiom : obligations.axioms())
    for (const Term &part : term::conjuncts(axiom.conclusion)) {
      const Term *left = term::inequality(part);
      if (!left) continue;
      std::vector<Term> compared = term::applications_of(*left);
      if (compared.size() != 1 || compared.front().as<term::Apply>()->function != function) continue;
      Term end = *left + compared.front() + Term(1) + shift;
      bool over_sizes = term::applications_of(end).empty();
      for (const std::string &name : axiom.variables)
        over_sizes = over_sizes && !term::mentions(end, name);
      for (const scan::Level &level : obligations.nest().levels) // a key such as 4*g + meta(g)
        over_sizes = over_sizes && !term::mentions(end, level.variable);
      if (over_sizes && !contains(candidates, end)) candidates.push_back(end);
    }
  return candidates;
}

/// Do the segment's keys rise, and so the targets in the loop around the find, which the map is filled for?
bool is_in_order(Obligations &obligations, const LevelPlan &plan, const plan::DenseMap &map) {
  const std::vector<scan::Level> &levels = obligations.nest().levels;
  std::size_t loop = plan.level;
  while (loop > 0 && levels[loop - 1].is_let())
    --loop;
  if (loop <= map.level || !levels[loop - 1].is_loop()) return false;
  return obligations.keys_rise() && obligations.targets_rise(loop - 1);
}

/// The part of a component that can be hashed: key(q) and what it equals at a match.
std::optional<std::pair<term::Term, term::Term>> hashed(Obligations &obligations,
                                                        const scan::Component &component) {
  if (component.is_equality()) return std::pair(component.key, component.target);
  const auto *width = component.width.as<term::Constant>();
  if (!width || width->value < 1 || !obligations.aligned(component.key, width->value)) return std::nullopt;
  return std::pair(term::floor_divide(component.key, width->value),
                   term::floor_divide(component.target, width->value));
}

/// The extent of such an array says how many positions there may be, and so how many links of chains.
bool reads_at_position(const Obligations &obligations, const plan::HashMap &map) {
  const term::Term position = term::variable(obligations.level().variable);
  for (const term::Term &key : map.keys)
    for (const term::Term &read : term::applications_of(key)) {
      const std::vector<term::Term> &arguments = read.as<term::Apply>()->arguments;
      if (contains(arguments, position)) return true;
    }
  return false;
}

/// Is an array that they read as long as a count that statements change, which says nothing before these?
bool has_unknown_length(const Obligations &obligations, const std::vector<Term> &keys) {
  const scan::Nest &nest = obligations.nest();
  const auto is_changed = [&](const Term &extent) {
    return std::ranges::any_of(term::variables_of(extent),
                               [&](const std::string &name) { return nest.changed.contains(name); });
  };
  for (const Term &key : keys)
    for (const Term &read : term::applications_of(key)) {
      const auto array = nest.arrays.find(read.as<term::Apply>()->function);
      if (array != nest.arrays.end() && std::ranges::any_of(array->second, is_changed)) return true;
    }
  return false;
}

} // namespace

Outcome try_map(Obligations &obligations, LevelPlan &plan) {
  const scan::Level &level = obligations.level();
  if (level.components.size() != 1 || !level.components.front().is_equality())
    return {false, false, false, "a map needs a single key that equals the target"};
  prove_adjacent(obligations, plan);
  if (!plan.unique) return {false, false, false, "O-uniq not proved"};
  const Term &key = level.components.front().key;
  const std::vector<Term> extents = range_candidates(obligations, key);
  for (const Term &extent : extents) {
    plan::DenseMap map{place_of_map(obligations)};
    map.keys = {*computed_before(obligations, key, map.level)};
    if (!obligations.keys_in(extent, map)) continue;
    Outcome outcome{true, true, true, {}};
    std::size_t loops = loops_since(obligations, map.level);
    if (loops == 0 || (loops == 1 && map.level == 0)) {
      outcome.worthwhile = false;
      outcome.reason = loops == 0 ? "the map would serve one visit"
                                  : "the map would serve one pass, which a walk does in order";
    }
    map.targets = {level.components.front().target};
    map.extent = extent;
    map.check_target = !obligations.targets_in(extent);
    map.form = plan.need == scan::Need::Nothing ? MapForm::Presence
               : plan.need == scan::Need::Value ? MapForm::Values
                                                : MapForm::Positions;
    if (map.form == MapForm::Presence) map.in_order = is_in_order(obligations, plan, map);
    plan.how = std::move(map);
    return outcome;
  }
  return {false, false, false,
          extents.empty() ? "no property says how far the keys range" : "O-range not proved"};
}

// ---- Where maps are filled.

std::size_t map_level(const Obligations &obligations) {
  const scan::Level &level = obligations.level();
  std::vector<Term> needed{level.lower, level.upper};
  for (const scan::Component &component : level.components)
    needed.insert(needed.end(), {component.key, component.width});
  auto computable = [&](std::size_t before) {
    return std::ranges::all_of(
        needed, [&](const Term &term) { return computed_before(obligations, term, before).has_value(); });
  };
  std::size_t before = 0;
  while (!computable(before))
    ++before;
  return before;
}

std::size_t loops_since(const Obligations &obligations, std::size_t level) {
  std::size_t loops = 0;
  for (std::size_t k = level; k < obligations.outer().size(); ++k)
    if (obligations.iterates(k)) ++loops;
  return loops;
}

std::size_t behind_assignments(const std::vector<scan::Level> &levels, std::size_t level) {
  while (level < levels.size() && levels[level].is_let() && levels[level].guards.empty())
    ++level;
  return level;
}

namespace {

/// The map as it is filled before that level, if it can be.
std::optional<plan::FilledMap> filled_before(Obligations &obligations, std::size_t before) {
  const scan::Level &level = obligations.level();
  const std::optional<Term> lower = computed_before(obligations, level.lower, before),
                            upper = computed_before(obligations, level.upper, before);
  std::vector<Term> keys;
  for (const scan::Component &component : level.components)
    if (std::optional<Term> key = computed_before(obligations, component.key, before)) keys.push_back(*key);
  if (!lower || !upper || keys.size() != level.components.size()) return std::nullopt;
  plan::FilledMap map;
  map.level = before;
  map.lower = *lower;
  map.upper = *upper;
  // A test further in may be what keeps the keys' reads in their arrays.
  if (is_tested(obligations, before) && !obligations.reads_in(keys, map)) return std::nullopt;
  return map;
}

} // namespace

plan::FilledMap place_of_map(Obligations &obligations) {
  std::size_t place = map_level(obligations);
  while (true) {
    if (place > 0) place = behind_assignments(obligations.nest().levels, place);
    if (std::optional<plan::FilledMap> map = filled_before(obligations, place)) return *map;
    ++place; // at last the find's own level, where each visit fills it
  }
}

// ---- Hash map: the positions of the segment by hash of their keys. Needs no order at all: a position that
// is found is tested again. What must hold is that a match has the hash that is looked for, which for
// equalities it has by their form, and for blocks where O-block says that blocks begin at multiples of their
// width. The length of the segment, which says how many chains there are, must not be negative (O-bounds).

Outcome try_hash(Obligations &obligations, LevelPlan &plan) {
  plan.unique = obligations.unique();
  plan.contiguous = plan.contiguous || plan.unique;
  plan::HashMap map{place_of_map(obligations)};
  for (const scan::Component &component : obligations.level().components) {
    // A component that can't be hashed is left to the test at the position.
    auto part = hashed(obligations, component);
    if (!part) continue;
    map.keys.push_back(*computed_before(obligations, part->first, map.level));
    map.targets.push_back(part->second);
  }
  if (map.keys.empty()) return {false, false, false, "O-block not proved"};
  if (has_unknown_length(obligations, map.keys))
    return {false, false, false, "how many positions there may be isn't known before the loops"};
  if (!obligations.bounds_in_order(map)) map.upper = term::maximum({map.lower, map.upper});
  const bool serves_one = loops_since(obligations, map.level) == 0,
             reads = reads_at_position(obligations, map);
  plan.how = std::move(map);
  if (!reads) return {true, false, false, "no key is read from an array at the position"};
  if (serves_one) return {true, true, false, "a map of the segment would serve one visit only"};
  return {true, true, false, "chosen only where it is asked for"};
}

} // namespace unravel::find
