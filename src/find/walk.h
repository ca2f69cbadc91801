#pragma once

#include "find/obligations.h"
#include "find/planner.h"
#include "find/state.h"
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

// ---- Sequential iteration in step: a loop and the segment of a find, each with strictly increasing keys,
// are passed side by side, as the intersection of two sets. Then many keys can be compared at once. (No state
// outlives the loop.)

/// Read off the terms, no question is asked: the only loop between the state and the find leads to it through
/// assignments alone, target and key are elements of index arrays at the positions of the two, and all
/// iterations have the same segment.
std::optional<InStep> in_step(const scan::Nest &nest, const LevelPlan &plan);

/// Sets the plan's `in_step` to `form` where both sides are proved to strictly increase (O-rise). `finds`:
/// the plans of the finds before.
bool plan_in_step(const scan::Nest &nest, const InStep &form, const std::vector<LevelPlan> &finds,
                  prove::Prover &prover, LevelPlan &plan);

/// Whether keys strictly increase from each value of a loop to the next one, in each of its passes, or from
/// each match of a find to the next one.
struct Rising {
  bool is_proved = false;
  std::string obligation; // "O-rise(A.p)"
  std::string example;    // small arrays for which they don't, where some were found
};

/// `key`: over the variable of the loop or find at that level.
Rising rising(const scan::Nest &nest, std::size_t level, const term::Term &key, const FindPlan &finds,
              prove::Prover &prover);

// ---- Loops over tiles that go on at the next tile with a match.
//
// A find for the interval of a tile t, 0 <= c*t + d - key(q) < width with c <= width, is a walk that resumes
// in the next tile. What is asked of it depends on t alone: the loops between the tile loop and the find,
// and the segment, are the same for each t. Then after tile t each walk stands at a position q, or at its
// segment's end. Behind q no match lies as long as c*t' + d < key(q) (O-jump), and at the least other t',
// ceil((key(q) - d) / c), q itself matches. So the least of these of all walks is the next tile that has a
// match; it is a later one (O-past). No key lies in front of the first tile (O-first), and a tile's visits
// have states of their own (O-place).

/// Sets plan.jump, or plan.no_jump, of a walk whose plan is complete.
void plan_jump(Obligations &obligations, LevelPlan &plan);

} // namespace unravel::find
