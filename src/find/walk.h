#pragma once

#include "find/templates.h"

/// Walks: what sequential iteration and galloping have in common. (Zhao et al., section 6.2, figure 9a.)
///
/// Invariant: no position walked before the state matches this or any later visit with the same state
/// indices. It holds at the start; skipping keeps it for this visit by the form of skip, for later ones by
/// O-persist; `++q` after a match by O-inc; a clamp drops only positions outside the segment. So no match
/// lies before the state, and by O-stop none lies after the place where walking stops.
namespace unravel::find {

/// A walk whose obligations hold: O-stop, O-persist and O-init for its state.
struct ProvedWalk {
  Direction direction = Direction::Up;
  Skip skip;
  Variables state;
  bool profit = false; // false: all visits that share the state have the same target
};

/// The first profitable walk, upwards first; else any. Downwards only where the match is `unique`: inner
/// finds expect chains in rising order. `partitioned`: only walks with O-part in their direction.
std::optional<ProvedWalk> choose_walk(Obligations &obligations, bool unique, bool partitioned);

/// The walk's state without what a clamp allows to drop as well.
Variables clamped_state(Obligations &obligations, const ProvedWalk &walk);

/// Proves a walk and the place of its state and fills in the plan. Where the state needs an array, the walk
/// is available but not worthwhile: the array costs its extent at each start of it.
Outcome plan_walk(Obligations &obligations, LevelPlan &plan, bool partitioned);

} // namespace unravel::find
