// Where maps are filled.
#include "find/map_level.h"

#include "find/state.h"

#include <algorithm>

namespace unravel::find {

using term::Term;

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

plan::FilledMap place_of_map(const Obligations &obligations) {
  plan::FilledMap map;
  map.level = map_level(obligations);
  if (map.level > 0) map.level = behind_assignments(obligations.nest().levels, map.level);
  map.lower = *computed_before(obligations, obligations.level().lower, map.level);
  map.upper = *computed_before(obligations, obligations.level().upper, map.level);
  return map;
}

} // namespace unravel::find
