#pragma once

#include "lower/lower.h"
#include "lower/workspace.h"

/// The parts of a leaf with a loop whose sums are kept in a local tensor (Hoist).
namespace unravel::lower {

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
