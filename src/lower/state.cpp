#include "lower/state.h"

#include "loop/walk.h"
#include "lower/find_code.h"
#include "lower/map_code.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace unravel::lower {

using loop::Block;
using scan::Level;
using term::Term;

Term slot_of(const plan::Walk &walk) {
  Term slot = walk.state_index.front();
  for (std::size_t k = 1; k < walk.state_index.size(); ++k)
    slot = term::multiply(slot, walk.state_extent[k]) + walk.state_index[k];
  return slot;
}

std::string begin_of(const scan::Nest &nest, const LevelPlan &plan) {
  const Level &found = nest.levels[plan.level];
  return plan.walk()->in_step ? found.variable + ".from" : state_variable(found, plan);
}

Block seed(const scan::Nest &nest, const LevelPlan &plan, std::size_t parallel, const Term &first) {
  const Level &found = nest.levels[plan.level];
  const plan::Walk &walk = *plan.walk();
  const std::string state = begin_of(nest, plan);
  term::Substitution by{{nest.levels[parallel].variable, first}};
  // Only visits come in order. The chunk's first iteration must be one: nothing in between may skip it.
  bool visits = nest.levels[parallel].guards.empty();
  for (std::size_t k = parallel + 1; k < plan.level; ++k) {
    const Level &between = nest.levels[k];
    visits = visits && between.is_let() && between.guards.empty();
    if (between.is_let()) by[between.variable] = term::substitute(between.value, by);
  }
  Term skip = term::substitute(walk.skip, by);
  Level range = found;
  range.lower = term::substitute(found.lower, by);
  range.upper = term::substitute(found.upper, by);
  if (!visits || !walk.partitioned || walk.direction != plan::Direction::Up)
    return {{loop::Declare{state, walk.start}}};
  return lower_bound(state, range, skip);
}

Block fill_states(const std::string &array, const Level &level, const plan::Walk &walk) {
  std::string slot = level.variable + ".slot";
  loop::For fill{slot, Term(0), slots_of(walk.state_extent)};
  fill.body = {{loop::SetElement{array, term::variable(slot), walk.start}}};
  fill.comment = fmt::format("find {}: initialise the states", level.variable);
  return {{std::move(fill)}};
}

Term named_slot(const Level &level, const plan::Walk &walk, Block &block) {
  Term slot = slot_of(walk);
  if (walk.state_index.size() == 1) return slot;
  std::string name = level.variable + ".slot";
  block.push_back({loop::Let{name, slot}});
  return term::variable(name);
}

Block with_slot(const std::string &array, const Level &level, const LevelPlan &plan, Block walk) {
  Block block;
  Term slot = named_slot(level, *plan.walk(), block);
  std::string state = state_variable(level, plan);
  block.push_back({loop::Declare{state, term::apply(array, {slot})}});
  loop::append(block, std::move(walk));
  block.push_back({loop::SetElement{array, slot, term::variable(state)}});
  return block;
}

Term slots_of(const std::vector<Term> &extents) {
  if (extents.size() == 1) return extents.front();
  Term product = 1;
  for (const Term &extent : extents)
    product =
        term::multiply(product, extent.as<term::Variable>() ? extent : term::maximum({Term(0), extent}));
  return product;
}

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

const LevelPlan *walk_in_order(const LeafPlan &leaf, std::size_t loop) {
  const std::vector<Level> &levels = leaf.nest.levels;
  for (const LevelPlan &plan : leaf.finds.levels) {
    if (!plan.walk() || !plan.walk()->in_order || plan.level <= loop) continue;
    const auto between = levels.begin() + static_cast<std::ptrdiff_t>(loop) + 1;
    if (std::all_of(between, levels.begin() + static_cast<std::ptrdiff_t>(plan.level),
                    [](const Level &level) { return level.is_let() && level.guards.empty(); }))
      return &plan;
  }
  return nullptr;
}

loop::Statement where_they_overlap(const LeafPlan &leaf, const LevelPlan &walk, loop::For loop) {
  const Level &found = leaf.nest.levels[walk.level];
  term::Term target = found.components.front().target;
  for (std::size_t k = walk.level; leaf.nest.levels[--k].is_let();)
    target = term::substitute(target, {{leaf.nest.levels[k].variable, leaf.nest.levels[k].value}});
  return where_they_overlap(std::move(loop), target, found.components.front().key, found.variable,
                            found.lower, found.upper);
}

} // namespace unravel::lower
