// Walks: the direction, the skip condition, the state and its place.
#include "find/walk.h"

#include "find/counterexample.h"
#include "find/map.h"
#include "term/children.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::find {

using scan::Level;
using term::Term;

namespace {

Variables sorted(Variables variables) {
  std::ranges::sort(variables);
  return variables;
}

/// The smallest state found for one skip condition; profitable if any is.
ProvedWalk choose_state(Obligations &obligations, Direction direction, const Skip &skip) {
  std::vector<Variables> orders = drop_orders(obligations);
  ProvedWalk best{direction, skip, state_variables(obligations), false};
  bool likely = false;
  for (const Variables &state : likely_states(obligations, direction)) {
    if (!obligations.start_fixed(direction, state) || !obligations.persist(skip, state)) continue;
    best.state = drop_variables(obligations, direction, skip, state, orders[0], false);
    best.profit = obligations.profit(best.state);
    if (best.profit) return best;
    likely = true;
    break;
  }
  for (const Variables &order : orders) {
    ProvedWalk walk{direction, skip, {}, false};
    walk.state = drop_variables(obligations, direction, skip, state_variables(obligations), order, false);
    if (sorted(walk.state) == sorted(best.state) && likely) continue;
    walk.profit = obligations.profit(walk.state);
    if (walk.profit || best.state.size() > walk.state.size()) best = walk;
    if (walk.profit) break;
  }
  return best;
}

/// A scalar's place for the walk's state; may drop more variables from it.
std::optional<Place> find_place(Obligations &obligations, ProvedWalk &walk, bool &clamp) {
  if (std::optional<Place> place = place_state(obligations, walk.direction, walk.state)) return place;
  if (!walk.profit) return std::nullopt;
  // A start that can't be computed at the place doesn't matter to a clamped state; O-clamp follows from
  // O-init.
  clamp = true;
  if (std::optional<Place> place = place_clamped(obligations, walk.direction, walk.state)) return place;
  Variables fewer = clamped_state(obligations, walk);
  std::optional<Place> place =
      fewer.size() < walk.state.size() ? place_clamped(obligations, walk.direction, fewer) : std::nullopt;
  if (place) walk.state = fewer;
  return place;
}

} // namespace

std::optional<ProvedWalk> choose_walk(Obligations &obligations, bool unique, bool partitioned) {
  std::optional<ProvedWalk> found;
  std::vector<Skip> skips = obligations.skips();
  for (Direction direction : {Direction::Up, Direction::Down}) {
    if (direction == Direction::Down && !unique) continue;
    for (const Skip &skip : skips) {
      if (!obligations.stop(direction, skip)) continue;
      if (partitioned && !obligations.partition(direction, skip)) continue;
      ProvedWalk walk = choose_state(obligations, direction, skip);
      if (!found || walk.profit) found = walk;
      if (found->profit) return found;
    }
  }
  return found;
}

Variables clamped_state(Obligations &obligations, const ProvedWalk &walk) {
  return drop_variables(obligations, walk.direction, walk.skip, walk.state, drop_orders(obligations)[0],
                        true);
}

Outcome plan_walk(Obligations &obligations, LevelPlan &plan, bool partitioned) {
  if (!prove_adjacent(obligations, plan)) return {false, false, false, "O-contig not proved"};
  std::optional<ProvedWalk> walk = choose_walk(obligations, plan.unique, partitioned);
  if (!walk) {
    const char *needed = partitioned ? "O-stop and O-part" : "O-stop";
    return {false, false, false, std::string(needed) + " not proved for any skip condition"};
  }
  Outcome outcome{true, true, walk->profit, {}};
  if (!walk->profit) {
    outcome.reason =
        "restart: all visits that share the state " + braces(walk->state) + " have the same target";
    if (!obligations.complete()) return outcome;
  }
  plan::Walk made;
  bool clamp = false;
  std::optional<Place> place = find_place(obligations, *walk, clamp);
  outcome.available = place.has_value();
  if (!walk->profit) {
    if (!place) return outcome;
  } else if (!place) {
    outcome.worthwhile = false;
    outcome.reason = "the state would need an array over " + braces(walk->state);
    if (!obligations.complete()) return outcome;
    std::optional<ArrayPlace> array = place_array(obligations, walk->direction, walk->state);
    if (!array) {
      outcome.reason += ", whose range or start isn't known";
      return outcome;
    }
    outcome.available = true;
    place = array->place;
    clamp = array->clamp;
    made.state_index = array->index;
    made.state_extent = array->extent;
    made.state_room = array->room;
  } else if (serves_few(obligations, *place)) {
    outcome.worthwhile = false;
    outcome.reason = "the state " + braces(walk->state) + " serves only a fixed number of targets";
    if (!obligations.complete()) return outcome;
  }
  made.direction = walk->direction;
  made.skip = walk->skip.condition;
  made.skip_name = walk->skip.name;
  made.state = walk->state;
  made.clamp = clamp;
  made.state_level = place->level;
  made.start = place->start;
  made.advance = obligations.advance(walk->state);
  made.partitioned = obligations.partition(walk->direction, walk->skip);
  plan.how = std::move(made);
  return outcome;
}

namespace {

/// The array, if the term is its element at the variable's value.
std::string array_at(const Term &term, const std::string &variable) {
  const auto *load = term.as<term::Apply>();
  bool plain = load && load->arguments.size() == 1 && load->arguments[0] == term::variable(variable);
  return plain ? load->function : "";
}

} // namespace

std::optional<InStep> in_step(const scan::Nest &nest, const LevelPlan &plan) {
  const std::vector<Level> &levels = nest.levels;
  const Level &found = levels[plan.level];
  const plan::Walk *walk = plan.walk();
  if (nest.instances) return std::nullopt; // the loop takes values without a match, too
  if (!walk || walk->gallops || walk->direction != Direction::Up || !plan.unique ||
      !walk->state_index.empty() || found.components.size() != 1 || !found.components[0].is_equality())
    return std::nullopt;
  Term target = found.components[0].target;
  std::size_t loop = plan.level;
  do {
    if (loop-- == 0) return std::nullopt;
    const Level &level = levels[loop];
    if (level.is_find() || !level.guards.empty() || term::mentions(found.lower, level.variable) ||
        term::mentions(found.upper, level.variable))
      return std::nullopt;
    if (level.is_let()) target = term::substitute(target, {{level.variable, level.value}});
  } while (!levels[loop].is_loop());
  InStep form{loop, array_at(target, levels[loop].variable),
              array_at(found.components[0].key, found.variable)};
  // A loop over a coordinate may do something in each iteration, such as clearing an element.
  if (form.loop_keys.empty() || form.keys.empty() || levels[loop].tensor.empty()) return std::nullopt;
  if (walk->state_level > loop || behind_assignments(levels, walk->state_level) != loop) return std::nullopt;
  return form;
}

bool plan_in_step(const scan::Nest &nest, const InStep &form, const std::vector<LevelPlan> &finds,
                  prove::Prover &prover, LevelPlan &plan) {
  Obligations obligations(nest, plan.level, finds, prover, plan);
  if (!obligations.keys_rise() || !obligations.targets_rise(form.loop)) return false;
  plan.as<plan::Walk>()->in_step = form;
  return true;
}

Rising rising(const scan::Nest &nest, std::size_t level, const term::Term &key, const FindPlan &finds,
              prove::Prover &prover) {
  scan::Nest around = nest;
  around.levels.resize(level + 1);
  const bool is_find = around.levels.back().is_find();
  if (!is_find) around.levels.back().components = {{key, term::Term(0)}}; // as a segment with these keys
  std::vector<LevelPlan> outer = finds.levels;
  std::erase_if(outer, [&](const LevelPlan &plan) { return plan.level >= level; });
  LevelPlan plan;
  plan.level = level;
  Obligations obligations(around, level, outer, prover, plan);
  Rising result{obligations.rises(key, is_find), plan.obligations.back().name, ""};
  if (!result.is_proved) result.example = counterexample(around, level, plan.obligations.back(), prover);
  return result;
}

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
