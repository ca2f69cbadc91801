#include "lower/loop_end.h"

#include <algorithm>

namespace unravel::lower {

using plan::Method;
using scan::Level;

namespace {

/// Is what is found at most one position, without a loop that a break would leave instead, and without a test
/// that is made for many iterations at once?
bool is_passed_by_break(const LeafPlan &leaf, std::size_t level) {
  return std::any_of(leaf.finds.levels.begin(), leaf.finds.levels.end(), [&](const LevelPlan &plan) {
    if (plan.level != level || plan.in_step) return false;
    switch (plan.method) {
    case Method::Direct: return true;
    case Method::Sequential:
    case Method::Galloping:
    case Method::Binary: return plan.unique;
    case Method::Map: return plan.map_form != plan::MapForm::Marked;
    case Method::Probe:
    case Method::Hash:
    case Method::Scan: return false;
    }
    return false;
  });
}

} // namespace

bool ends_loop(const LeafPlan &leaf, const LevelPlan &plan, std::optional<std::size_t> cleared) {
  if (!plan::keeps_state(plan.method) || !plan.state_index.empty()) return false;
  const std::vector<Level> &levels = leaf.nest.levels;
  std::size_t loop = plan.level;
  while (loop > 0 && levels[loop - 1].kind != Level::Kind::Loop) {
    --loop;
    if (levels[loop].kind == Level::Kind::Find && !is_passed_by_break(leaf, loop)) return false;
  }
  if (loop == 0 || plan.state_level >= loop) return false;
  --loop;
  // What begins inside the loop and belongs to no match.
  auto begins_inside = [&](std::size_t level) { return level > loop && level <= plan.level; };
  if (cleared && begins_inside(*cleared)) return false;
  if (!leaf.alternatives.empty() && begins_inside(leaf.split)) return false;
  for (const LevelPlan &other : leaf.finds.levels)
    if (plan::fills_map(other.method) && begins_inside(other.map_level)) return false;
  // Of the loop's iterations, all share the state and the end.
  const Level &found = levels[plan.level];
  const term::Term &end = plan.direction == plan::Direction::Up ? found.upper : found.lower;
  for (std::size_t k = loop; k < plan.level; ++k)
    if (term::mentions(end, levels[k].variable) ||
        std::find(plan.state.begin(), plan.state.end(), levels[k].variable) != plan.state.end())
      return false;
  return true;
}

} // namespace unravel::lower
