// Galloping: a walk whose steps double while what lies that far ahead is skipped, then bisection of the last
// step. Right where a skipped position means that all before it, seen in the walking direction, are skipped
// too. Against the walk by single steps it wins where few of many positions are asked for, and costs a test
// more per visit elsewhere.
#include "find/walk.h"

namespace unravel::find {

Outcome try_galloping(Obligations &obligations, LevelPlan &plan) {
  Outcome outcome = plan_walk(obligations, plan, true);
  if (auto *walk = plan.as<plan::Walk>()) walk->gallops = true;
  if (outcome.proved && outcome.worthwhile) {
    outcome.worthwhile = false;
    outcome.reason = "chosen only where it is asked for";
  }
  return outcome;
}

} // namespace unravel::find
