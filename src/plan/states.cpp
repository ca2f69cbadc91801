#include "plan/states.h"

#include <algorithm>

namespace unravel::plan {

using scan::Level;

namespace {

/// The first find of the plan whose state iterations of the loop share in that way, or null.
const LevelPlan *find_shared(const LeafPlan &plan, std::size_t parallel, Sharing how) {
  const auto found = std::ranges::find_if(
      plan.finds.levels, [&](const LevelPlan &find) { return sharing_of(plan.nest, find, parallel) == how; });
  return found == plan.finds.levels.end() ? nullptr : &*found;
}

} // namespace

Sharing sharing_of(const scan::Nest &nest, const LevelPlan &plan, std::size_t parallel) {
  const Walk *walk = plan.walk();
  if (!walk || walk->state_level > parallel || plan.level <= parallel) return Sharing::Apart;
  if (walk->state_index.empty()) return Sharing::PerChunk;
  bool filled_by_iteration = true;
  for (std::size_t n = 0; n < walk->state_index.size(); ++n)
    for (std::size_t k = walk->state_level; k < plan.level; ++k) {
      const Level &indexed = nest.levels[k];
      if (!term::mentions(walk->state_index[n], indexed.variable)) continue;
      if (k == parallel) return Sharing::Apart;
      bool over_all = indexed.is_loop() && indexed.upper - indexed.lower == walk->state_extent[n];
      filled_by_iteration = filled_by_iteration && k > parallel && over_all;
    }
  return filled_by_iteration ? Sharing::PerChunk : Sharing::Serial;
}

const LevelPlan *with_state_of_chunks(const LeafPlan &plan, std::size_t parallel) {
  return find_shared(plan, parallel, Sharing::PerChunk);
}

const LevelPlan *hindrance(const LeafPlan &plan, std::size_t parallel, bool appends) {
  if (const LevelPlan *find = find_shared(plan, parallel, Sharing::Serial)) return find;
  return appends ? with_state_of_chunks(plan, parallel) : nullptr;
}

} // namespace unravel::plan
