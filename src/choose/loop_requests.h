#pragma once

#include "depend/dependence.h"
#include "loop/requests.h"
#include "parse/tree.h"
#include "plan/leaf.h"

#include <vector>

/// What a schedule asks for of loops: do the dependences allow it?
namespace unravel::choose {

/// A leaf's plan, and what its own loops carry.
struct LoopsOf {
  const combine::IterationSpace *space = nullptr;
  const plan::LeafPlan *plan = nullptr;
  std::vector<depend::LoopVerdict> verdicts;
};

/// The variables of finds whose matches are adjacent and looped over, as the entries of a tile are: what
/// these loops carry is asked, too.
std::vector<std::string> ranges_of(const plan::LeafPlan &plan, const loop::Program &lowered);

/// The requests as passes over the lowered loops take them. Throws where there is no such loop, where one is
/// asked for twice, and where what a loop carries forbids it.
std::vector<loop::Request> loop_requests(const parse::ScheduleTree &schedule,
                                         const std::vector<LoopsOf> &leaves, const loop::Program &lowered);

} // namespace unravel::choose
