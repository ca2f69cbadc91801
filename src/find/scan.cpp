// Scan: every position is tested.
#include "find/templates.h"

namespace unravel::find {

bool prove_adjacent(Obligations &obligations, LevelPlan &plan) {
  plan.unique = obligations.unique();
  plan.contiguous = plan.unique || obligations.contiguous();
  return plan.contiguous;
}

Outcome try_scan(Obligations &obligations, LevelPlan &plan) {
  // Uniqueness lets the loop end at the hit; nothing else is needed.
  prove_adjacent(obligations, plan);
  plan.how = plan::Scan{};
  return {true, true, true, {}};
}

} // namespace unravel::find
