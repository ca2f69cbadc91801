#pragma once

#include "lower/leaf.h"

#include <vector>

/// Statements whose loops are merged (plan::Merged): each is lowered as a merge that has what this statement
/// does in it, and those of one local are then joined to one.
namespace unravel::lower {

/// What is inside of the shared loops is a block with one Merge. Precondition: the plan is merged.
LoweredLeaf lower_merged(const combine::IterationSpace &space, const LeafPlan &plan, std::size_t number,
                         const SharedLoops &shared, Workspace &workspace);

/// One merge in place of the one in each of the blocks, which declare no name twice; that which reads the
/// local comes last.
loop::Block joined_merges(std::vector<loop::Block> blocks, const plan::Merged &merged);

} // namespace unravel::lower
