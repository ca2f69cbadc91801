#pragma once

#include "lower/clearing.h"
#include "lower/lower.h"
#include "lower/workspace.h"

/// One leaf as loops.
namespace unravel::lower {

/// The loops around a leaf that are not its own: its first levels.
struct SharedLoops {
  std::size_t count = 0;
  std::vector<term::Term> conditions; // that hold where the loops have a point of the leaf's, not of others
  bool in_wavefronts = false;         // threads take the iterations of the leaf's outermost loop
};

/// What stands around a loop: states and maps that it begins with; maps are cleared behind it.
struct AroundLoop {
  loop::Block before, behind;
};

struct LoweredLeaf {
  std::vector<AroundLoop> around; // each of the shared loops
  loop::Block inside;             // of the innermost of these
};

/// `number`: of the leaf, in the origins of its statements. `clearing`: how the result is set to zero on the
/// way; null: that is done elsewhere.
LoweredLeaf lower_leaf(const combine::IterationSpace &space, const LeafPlan &plan, std::size_t number,
                       const SharedLoops &shared, const Clearing *clearing, Workspace &workspace);

/// The leaf's loops and finds, with `visit` at each point in place of what is computed there; sparse divisors
/// aren't looked for.
LoweredLeaf visit_leaf(const combine::IterationSpace &space, LeafPlan plan, std::size_t number,
                       const SharedLoops &shared, loop::Block visit, Workspace &workspace);

} // namespace unravel::lower
