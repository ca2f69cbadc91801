// Sequential iteration: a position that walks on from visit to visit, one position at a time.
#include "find/walk.h"

namespace unravel::find {

Outcome try_sequential(Obligations &obligations, LevelPlan &plan) {
  return plan_walk(obligations, plan, false);
}

} // namespace unravel::find
