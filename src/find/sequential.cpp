// Sequential iteration: a position that walks on from visit to visit (Zhao et al., section 6.2, figure 9a).
//
// Invariant: no position walked before the state matches this or any later visit with the same state indices.
// It holds at the start; skipping keeps it for this visit by the form of skip, for later ones by O-persist;
// `++q` after a match by O-inc; a clamp drops only positions outside the segment. So no match lies before the
// state, and by O-stop none lies after the place where walking stops.
#include "find/templates.h"

#include <algorithm>

namespace unravel::find {

namespace {

/// A walk whose obligations hold.
struct Walk {
  Direction direction = Direction::Up;
  Skip skip;
  Variables state;
  bool profit = false;
};

Variables sorted(Variables variables) {
  std::sort(variables.begin(), variables.end());
  return variables;
}

/// The smallest state found for one skip condition; profitable if any is.
Walk choose_state(Obligations &obligations, Direction direction, const Skip &skip) {
  std::vector<Variables> orders = drop_orders(obligations);
  Walk best{direction, skip, state_variables(obligations), false};
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
    Walk walk{direction, skip, {}, false};
    walk.state = drop_variables(obligations, direction, skip, state_variables(obligations), order, false);
    if (sorted(walk.state) == sorted(best.state) && likely) continue;
    walk.profit = obligations.profit(walk.state);
    if (walk.profit || best.state.size() > walk.state.size()) best = walk;
    if (walk.profit) break;
  }
  return best;
}

/// The first profitable walk, upwards first; else any.
std::optional<Walk> choose_walk(Obligations &obligations, const LevelPlan &plan) {
  std::optional<Walk> found;
  std::vector<Skip> skips = obligations.skips();
  for (Direction direction : {Direction::Up, Direction::Down}) {
    // A chain walked downwards would deliver positions in falling order, which inner finds don't expect.
    if (direction == Direction::Down && !plan.unique) continue;
    for (const Skip &skip : skips) {
      if (!obligations.stop(direction, skip)) continue;
      Walk walk = choose_state(obligations, direction, skip);
      if (!found || walk.profit) found = walk;
      if (found->profit) return found;
    }
  }
  return found;
}

/// A scalar's place for the walk's state; may drop more variables from it.
std::optional<Place> find_place(Obligations &obligations, Walk &walk, bool &clamp) {
  if (std::optional<Place> place = place_state(obligations, walk.direction, walk.state)) return place;
  // Clamping upwards only: downwards there is no first value that is right for every segment.
  if (!walk.profit || walk.direction == Direction::Down) return std::nullopt;
  // A start that can't be computed at the place doesn't matter to a clamped state; O-clamp follows from
  // O-init.
  clamp = true;
  if (std::optional<Place> place = place_clamped(obligations, walk.state)) return place;
  Variables fewer =
      drop_variables(obligations, walk.direction, walk.skip, walk.state, drop_orders(obligations)[0], true);
  std::optional<Place> place =
      fewer.size() < walk.state.size() ? place_clamped(obligations, fewer) : std::nullopt;
  if (place) walk.state = fewer;
  return place;
}

} // namespace

Outcome try_sequential(Obligations &obligations, LevelPlan &plan) {
  if (!prove_adjacent(obligations, plan)) return {false, false, false, "O-contig not proved"};
  std::optional<Walk> walk = choose_walk(obligations, plan);
  if (!walk) return {false, false, false, "O-stop not proved for any skip condition"};
  bool clamp = false;
  std::optional<Place> place = find_place(obligations, *walk, clamp);
  Outcome outcome{true, place.has_value(), walk->profit, {}};
  if (!walk->profit) {
    outcome.reason =
        "restart: all visits that share the state " + braces(walk->state) + " have the same target";
  } else if (!place) {
    outcome.reason = "the state would need an array over " + braces(walk->state);
  } else if (serves_few(obligations, *place)) {
    outcome.worthwhile = false;
    outcome.reason = "the state " + braces(walk->state) + " serves only a fixed number of targets";
  }
  if (!place) return outcome;
  plan.direction = walk->direction;
  plan.skip = walk->skip.condition;
  plan.skip_name = walk->skip.name;
  plan.state = walk->state;
  plan.clamp = clamp;
  plan.state_level = place->level;
  plan.start = place->start;
  plan.advance = obligations.advance(walk->state);
  plan.partitioned = obligations.partition(walk->direction, walk->skip);
  return outcome;
}

} // namespace unravel::find
