#include "find/jump.h"

#include "term/children.h"
#include "text/contains.h"

#include <fmt/format.h>

namespace unravel::find {

using scan::Level;
using term::Term;

namespace {

/// The loop's variable and what Lets inside compute from it; none where loops, finds or guards between the
/// loop and the find depend on it, so that its iterations may visit the find differently.
std::optional<std::set<std::string>> dependent(const scan::Nest &nest, std::size_t loop, std::size_t find) {
  std::set<std::string> names{nest.levels[loop].variable};
  for (std::size_t k = loop; k < find; ++k) {
    const Level &level = nest.levels[k];
    if (k > loop && level.is_let()) {
      if (term::mentions_any(level.value, names)) names.insert(level.variable);
    } else if (k > loop) {
      if (term::mentions_any(level.lower, names) || term::mentions_any(level.upper, names))
        return std::nullopt;
      for (const scan::Component &component : level.components)
        if (term::mentions_any(component.key, names) || term::mentions_any(component.target, names) ||
            term::mentions_any(component.width, names))
          return std::nullopt;
    }
    for (const Term &guard : level.guards)
      if (k == loop || term::mentions_any(guard, names)) return std::nullopt;
  }
  const Level &found = nest.levels[find];
  if (term::mentions_any(found.lower, names) || term::mentions_any(found.upper, names)) return std::nullopt;
  return names;
}

/// Can the visits between the loop and the find be made once more, before the loop?
bool are_repeatable(const Obligations &obligations, std::size_t loop, std::size_t find) {
  for (const LevelPlan &plan : obligations.outer_plans())
    if (plan.level > loop && plan.level < find && plan.made_at()) return false;
  return true;
}

/// Is there one visit per iteration of the loop, whatever the data?
bool is_single(const Obligations &obligations, std::size_t loop, std::size_t find) {
  const std::vector<Level> &levels = obligations.nest().levels;
  for (std::size_t k = loop + 1; k < find; ++k)
    if (!levels[k].is_let() || !levels[k].guards.empty()) return false;
  return true;
}

/// Of the loop at that level: why it takes every value, or the jump.
std::string try_jump(Obligations &obligations, const LevelPlan &plan, std::size_t loop, Jump &jump) {
  const plan::Walk &walk = *plan.walk();
  const scan::Nest &nest = obligations.nest();
  const Level &here = nest.levels[loop], &found = obligations.level();
  const scan::Component &component = found.components[0];
  std::optional<std::set<std::string>> names = dependent(nest, loop, plan.level);
  if (!names) return "what is visited inside depends on it";
  if (!walk.advance) return "the walk stays at a match, since other visits need it";
  std::int64_t step = term::coefficient_of(component.target, here.variable);
  Term rest = component.target - term::scale(step, term::variable(here.variable));
  if (term::mentions_any(rest, *names) || term::mentions_any(component.key, *names))
    return "the target isn't linear in it";
  for (const std::string &name : walk.state)
    if (names->contains(name)) return "the state depends on it";
  jump = {loop, term::ceil_divide(component.key - rest, step), found.lower, found.upper};
  if (walk.state_index.empty()) {
    if (walk.state_level > loop) return "each iteration has a state of its own";
    if (!is_single(obligations, loop, plan.level)) return "several visits share a state";
    for (Term *each : {&jump.next, &jump.begin, &jump.end}) {
      std::optional<Term> outside = computed_before(obligations, *each, loop + 1);
      if (!outside) return "the segment isn't known outside of it";
      *each = *outside;
    }
  } else {
    if (walk.state_level != loop) return "the states aren't declared just outside of it";
    if (!are_repeatable(obligations, loop, plan.level)) return "a find between keeps a state or a map";
    Variables own = walk.state;
    for (std::size_t k = 0; k <= loop; ++k)
      if (!contains(own, nest.levels[k].variable)) own.push_back(nest.levels[k].variable);
    if (!obligations.placed(own, plan.level)) return "several visits share a state";
  }
  if (!obligations.stays_behind()) return "O-jump not proved";
  if (!obligations.stops_behind({walk.skip, walk.skip_name})) return "O-past not proved";
  Term before = term::substitute(component.target, {{here.variable, here.lower - Term(1)}});
  if (!obligations.all_behind(before)) return "O-first not proved";
  obligations.none_behind(term::substitute(component.target, {{here.variable, here.upper - Term(1)}}));
  return "";
}

} // namespace

void plan_jump(Obligations &obligations, LevelPlan &plan) {
  const std::vector<scan::Component> &components = obligations.level().components;
  const auto *width = components.size() == 1 ? components[0].width.as<term::Constant>() : nullptr;
  auto *walk = plan.as<plan::Walk>();
  if (obligations.nest().instances) return; // what is done where nothing is found needs every tile
  if (!walk || walk->in_step || walk->direction != Direction::Up || !walk->partitioned || !width) return;
  for (std::size_t k = plan.level; k-- > 0;) {
    const Level &loop = obligations.nest().levels[k];
    std::int64_t step = term::coefficient_of(components[0].target, loop.variable);
    // A loop over single keys isn't one over tiles: another order of loops spares it altogether.
    if (!loop.is_loop() || step < 2 || step > width->value) continue;
    Jump jump;
    std::string reason = try_jump(obligations, plan, k, jump);
    if (reason.empty()) {
      walk->jump = jump;
      walk->no_jump.clear();
      return;
    }
    if (walk->no_jump.empty()) walk->no_jump = fmt::format("{} takes every value: {}", loop.variable, reason);
  }
}

} // namespace unravel::find
