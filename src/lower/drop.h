#pragma once

#include "combine/space.h"
#include "loop/loop.h"
#include "lower/elements.h"

/// Entries of assembled results that are dropped once their values are known.
namespace unravel::lower {

/// Behind the last entry: takes those of that value out, of blocks such as have no other value, and nodes
/// that have no entry then. What stays moves up, in its order. Precondition: the result's nodes and entries
/// are there (append.h), but not their counts.
loop::Block drop_entries(const combine::AssembledResult &result, double dropped, const Extents &extents);

} // namespace unravel::lower
