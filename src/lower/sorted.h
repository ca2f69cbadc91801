#pragma once

#include "lower/lower.h"
#include "lower/workspace.h"

/// Loops whose values are visited by their keys.
namespace unravel::lower {

/// Are so many positions sorted by counting them, with so many values that the key may have?
term::Term is_dealt(const term::Term &extent, const term::Term &count);

/// The level's loop, with its values sorted before; `inside`: of an iteration.
loop::Block sorted_loop(const scan::Level &here, const plan::SortedLoop &plan, Workspace &workspace,
                        bool per_thread, loop::Block inside);

} // namespace unravel::lower
