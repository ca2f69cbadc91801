#pragma once

#include "depend/dependence.h"
#include "loop/requests.h"
#include "lower/lower.h"
#include "parse/tree.h"

#include <vector>

/// What a schedule asks for of loops: do the dependences allow it?
namespace unravel::choose {

/// A leaf's plan, and what its own loops carry.
struct LoopsOf {
  const combine::IterationSpace *space = nullptr;
  const lower::LeafPlan *plan = nullptr;
  const std::vector<depend::LoopVerdict> *verdicts = nullptr;
};

/// The finds whose matches, a tile's entries say, the schedule wants as a loop: their verdicts are asked for
/// too.
std::vector<std::string> ranges_of(const parse::ScheduleTree &schedule, const lower::LeafPlan &plan);

/// The requests as passes over the lowered loops take them. Throws where there is no such loop, where one is
/// asked for twice, and where what a loop carries forbids it.
std::vector<loop::Request> loop_requests(const parse::ScheduleTree &schedule,
                                         const std::vector<LoopsOf> &leaves, const loop::Program &lowered);

} // namespace unravel::choose
