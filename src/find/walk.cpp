// Walks: the direction, the skip condition, the state and its place.
#include "find/walk.h"

#include <algorithm>

namespace unravel::find {

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

} // namespace unravel::find
