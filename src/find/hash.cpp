// Hash map: the positions of the segment by hash of their keys. Needs no order at all: a position that is
// found is tested again. What must hold is that a match has the hash that is looked for, which for equalities
// it has by their form, and for blocks where O-block says that blocks begin at multiples of their width. The
// length of the segment, which says how many chains there are, must not be negative (O-bounds).
#include "find/map_level.h"
#include "find/templates.h"
#include "text/contains.h"

#include <algorithm>

namespace unravel::find {

namespace {

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

} // namespace

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
  if (!obligations.bounds_in_order()) map.upper = term::maximum({map.lower, map.upper});
  const bool serves_one = loops_since(obligations, map.level) == 0,
             reads = reads_at_position(obligations, map);
  plan.how = std::move(map);
  if (!reads) return {true, false, false, "no key is read from an array at the position"};
  if (serves_one) return {true, true, false, "a map of the segment would serve one visit only"};
  return {true, true, false, "chosen only where it is asked for"};
}

} // namespace unravel::find
