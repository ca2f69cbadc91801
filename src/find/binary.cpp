// Binary search: the first position where skipping ends, by bisection.
#include "find/templates.h"

namespace unravel::find {

Outcome try_binary(Obligations &obligations, LevelPlan &plan) {
  if (!prove_adjacent(obligations, plan)) return {false, false, false, "O-contig not proved"};
  bool stops = false;
  for (const Skip &skip : obligations.skips()) {
    if (!obligations.stop(Direction::Up, skip)) continue;
    stops = true;
    if (!obligations.partition(Direction::Up, skip)) continue;
    plan.how = plan::Binary{skip.condition};
    return {true, true, true, {}};
  }
  return {false, false, false, stops ? "O-part not proved" : "O-stop not proved for any skip condition"};
}

} // namespace unravel::find
