#pragma once

#include "find/state.h"

/// One function per find template: proves what the template needs and fills in its part of the plan. A new
/// template is a function, a line here and a line in the planner's table.
namespace unravel::find {

/// What became of a template at one find.
struct Outcome {
  bool proved = false;    // its obligations hold
  bool available = false; // ... and code can be made for it
  bool worthwhile = true; // ... and it beats the next template in the planner's order
  std::string reason;     // where one of these is false
  bool applies = true;    // false: nothing here speaks of what the template is for; it isn't listed
};

/// Precondition of all: plan.unique and plan.contiguous are not relied upon before the call; each sets what
/// it proves. A template that isn't available leaves no trace in the plan but its obligations.
Outcome try_direct(Obligations &obligations, LevelPlan &plan);
Outcome try_sequential(Obligations &obligations, LevelPlan &plan);
Outcome try_map(Obligations &obligations, LevelPlan &plan);
Outcome try_galloping(Obligations &obligations, LevelPlan &plan);
Outcome try_binary(Obligations &obligations, LevelPlan &plan);
Outcome try_probe(Obligations &obligations, LevelPlan &plan);
Outcome try_hash(Obligations &obligations, LevelPlan &plan);
Outcome try_scan(Obligations &obligations, LevelPlan &plan);

/// Sets plan.unique and plan.contiguous; whether matches are at least adjacent.
bool prove_adjacent(Obligations &obligations, LevelPlan &plan);

} // namespace unravel::find
