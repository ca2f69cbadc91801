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

// ---- The parts of a leaf with a loop whose sums are kept in a local tensor (Hoist).

struct Hoisted {
  combine::IterationSpace inside;  // adds the factors that change in the loop to the local
  LeafPlan plan;                   // of what is inside, with the hoists further in
  combine::IterationSpace outside; // the local times the other factors
  std::vector<scan::Level> modes;  // the loops over dense modes: the local's
  std::vector<scan::Level> all;    // and all

  /// Sets the local to zero.
  loop::Block begun(loop::Target local) const;
  /// In loops over all modes.
  loop::Block over_all(loop::Statement what) const;
};

/// Of the plan's outermost hoist. The local's elements lie in the workspace.
Hoisted hoisted_parts(const combine::IterationSpace &space, const LeafPlan &plan, Workspace &workspace,
                      bool per_thread);

} // namespace unravel::lower
