#pragma once

#include "find/obligations.h"
#include "find/planner.h"

/// Sequential iteration in step: a loop and the segment of a find, each with strictly increasing keys, are
/// passed side by side, as the intersection of two sets. Then many keys can be compared at once. (No state
/// outlives the loop.)
namespace unravel::find {

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

} // namespace unravel::find
