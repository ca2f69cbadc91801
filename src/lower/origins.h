#pragma once

#include "lower/lower.h"

/// What statements were made for, as their origins say (lower.h).
namespace unravel::lower {

loop::Origin main_plan(std::size_t leaf);

/// What the level's loop visits, for its comment.
std::string comment(const scan::Level &here);

/// Statements that have no origin yet have that one, in the block and inside.
loop::Block with_origin(loop::Block block, const loop::Origin &origin);

} // namespace unravel::lower
