// Where maps are filled.
#include "find/map_level.h"

#include "find/state.h"

#include <algorithm>
#include <set>

namespace unravel::find {

using term::Term;

namespace {

/// Behind the guards that speak of what is read: 0 <= b with b = k, before present(k, j) is read for all j.
std::size_t behind_guards(const Obligations &obligations, const std::vector<Term> &read, std::size_t level) {
  std::set<std::string> spoken_of; // variables, and what follows from them
  for (const Term &term : read)
    for (const Term &application : term::applications_of(term))
      spoken_of.merge(term::variables_of(application));
  spoken_of.erase(obligations.level().variable);
  auto mentions_any = [&](const Term &term) {
    std::set<std::string> variables = term::variables_of(term);
    return std::any_of(variables.begin(), variables.end(),
                       [&](const std::string &name) { return spoken_of.count(name) > 0; });
  };
  const std::vector<scan::Level> &levels = obligations.nest().levels;
  for (std::size_t k = 0; k < obligations.outer().size(); ++k) {
    if (levels[k].kind == scan::Level::Kind::Let && mentions_any(levels[k].value))
      spoken_of.insert(levels[k].variable);
    if (k >= level && std::any_of(levels[k].guards.begin(), levels[k].guards.end(), mentions_any))
      level = k + 1;
  }
  return level;
}

} // namespace

std::size_t map_level(const Obligations &obligations) {
  const scan::Level &level = obligations.level();
  std::vector<Term> needed{level.lower, level.upper};
  for (const scan::Component &component : level.components)
    needed.insert(needed.end(), {component.key, component.width});
  auto computable = [&](std::size_t before) {
    return std::all_of(needed.begin(), needed.end(), [&](const Term &term) {
      return computed_before(obligations, term, before).has_value();
    });
  };
  std::size_t before = 0;
  while (!computable(before))
    ++before;
  return behind_guards(obligations, needed, before);
}

std::size_t loops_since(const Obligations &obligations, std::size_t level) {
  std::size_t loops = 0;
  for (std::size_t k = level; k < obligations.outer().size(); ++k)
    if (obligations.iterates(k)) ++loops;
  return loops;
}

std::size_t behind_assignments(const std::vector<scan::Level> &levels, std::size_t level) {
  while (level < levels.size() && levels[level].kind == scan::Level::Kind::Let &&
         levels[level].guards.empty())
    ++level;
  return level;
}

void place_map(const Obligations &obligations, LevelPlan &plan) {
  plan.map_level = map_level(obligations);
  if (plan.map_level > 0) plan.map_level = behind_assignments(obligations.nest().levels, plan.map_level);
  plan.map_lower = *computed_before(obligations, obligations.level().lower, plan.map_level);
  plan.map_upper = *computed_before(obligations, obligations.level().upper, plan.map_level);
}

} // namespace unravel::find
