#include "lower/loop_end.h"

#include "text/contains.h"

#include <algorithm>

namespace unravel::lower {

using scan::Level;

namespace {

/// Is what is found at most one position, without a loop that a break would leave instead, and without a test
/// that is made for many iterations at once?
bool is_passed_by_break(const LeafPlan &leaf, std::size_t level) {
  return std::ranges::any_of(leaf.finds.levels, [&](const LevelPlan &plan) {
    if (plan.level != level) return false;
    return std::visit(term::overloaded{
                          [](const plan::Direct &) { return true; },
                          [&](const plan::Walk &walk) { return plan.unique && !walk.in_step; },
                          [&](const plan::Binary &) { return plan.unique; },
                          [](const plan::DenseMap &map) { return !map.has_marks(); },
                          [](const plan::Probe &) { return false; },
                          [](const plan::HashMap &) { return false; },
                          [](const plan::Scan &) { return false; },
                      },
                      plan.how);
  });
}

} // namespace

bool ends_loop(const LeafPlan &leaf, const LevelPlan &plan, std::optional<std::size_t> cleared) {
  const plan::Walk *walk = plan.walk();
  if (!walk || !walk->state_index.empty()) return false;
  const std::vector<Level> &levels = leaf.nest.levels;
  std::size_t loop = plan.level;
  while (loop > 0 && !levels[loop - 1].is_loop()) {
    --loop;
    if (levels[loop].is_find() && !is_passed_by_break(leaf, loop)) return false;
  }
  if (loop == 0 || walk->state_level >= loop) return false;
  --loop;
  // What begins inside the loop and belongs to no match.
  auto begins_inside = [&](std::size_t level) { return level > loop && level <= plan.level; };
  if (cleared && begins_inside(*cleared)) return false;
  if (!leaf.alternatives.empty() && begins_inside(leaf.split)) return false;
  for (const LevelPlan &other : leaf.finds.levels)
    if (const plan::FilledMap *map = other.filled_map(); map && begins_inside(map->level)) return false;
  // Of the loop's iterations, all share the state and the end.
  const Level &found = levels[plan.level];
  const term::Term &end = walk->direction == plan::Direction::Up ? found.upper : found.lower;
  for (std::size_t k = loop; k < plan.level; ++k)
    if (term::mentions(end, levels[k].variable) || contains(walk->state, levels[k].variable)) return false;
  return true;
}

} // namespace unravel::lower
