#pragma once

#include "combine/space.h"
#include "loop/loop.h"
#include "lower/append.h"
#include "lower/leaf.h"
#include "lower/workspace.h"

#include <functional>
#include <memory>

/// Assembled results whose entries are dealt by their first position.
namespace unravel::lower {

/// What the statement does with its entries; null where its result isn't assembled.
std::shared_ptr<const EntryCode> code_of_entries(const combine::IterationSpace &space, const LeafPlan &plan,
                                                 Workspace &workspace);

/// Both visits. Precondition: no other statement shares its loops.
LoweredLeaf lower_dealt(const combine::IterationSpace &space, const LeafPlan &plan, std::size_t number,
                        const SharedLoops &shared, Workspace &workspace);

} // namespace unravel::lower
