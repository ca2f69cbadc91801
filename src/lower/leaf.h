#pragma once

#include "lower/clearing.h"
#include "lower/lower.h"
#include "lower/workspace.h"

/// One leaf as loops.
namespace unravel::lower {

/// `number`: of the leaf, in the origins of its statements. `clearing`: how the result is set to zero on the
/// way; null: that is done elsewhere.
loop::Block lower_leaf(const combine::IterationSpace &space, const LeafPlan &plan, std::size_t number,
                       const Clearing *clearing, Workspace &workspace);

/// The leaf's loops and finds, with `visit` at each point in place of what is computed there; sparse divisors
/// aren't looked for.
loop::Block visit_leaf(const combine::IterationSpace &space, LeafPlan plan, std::size_t number,
                       loop::Block visit, Workspace &workspace);

} // namespace unravel::lower
