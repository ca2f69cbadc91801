#pragma once

#include "lower/append.h"

/// Assembled results whose entries are dealt by the first position, which is computed of their coordinates.
namespace unravel::lower {

/// What the statement does with an entry in the second visit.
std::shared_ptr<const EntryCode> code_of_dealt_entries(const combine::IterationSpace &space,
                                                       const LeafPlan &plan, Workspace &workspace);

/// Both visits. Precondition: no other statement shares its loops.
LoweredLeaf lower_dealt(const combine::IterationSpace &space, const LeafPlan &plan, std::size_t number,
                        const SharedLoops &shared, Workspace &workspace);

} // namespace unravel::lower
