#pragma once

#include "lower/lower.h"
#include "lower/values.h"
#include "lower/workspace.h"

/// A leaf's product in parts (plan::Parts).
namespace unravel::lower {

/// What is inside of the levels that are around all parts. Sums of tensors lie in the workspace, others are
/// local values. `writes`: what becomes of the last part's values.
/// Precondition: the plan has parts.
loop::Block in_parts(const combine::IterationSpace &space, const LeafPlan &plan, Workspace &workspace,
                     bool per_thread, const Writes &writes);

/// The level from which on a leaf keeps sums in locals; behind all levels where it keeps none.
std::size_t begin_of_sums(const LeafPlan &plan);

} // namespace unravel::lower
