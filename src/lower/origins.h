#pragma once

#include "loop/loop.h"
#include "lower/lower.h"

/// What statements were made for, as their origins say (lower.h).
namespace unravel::lower {

loop::Origin main_plan(std::size_t leaf);

/// What the level's loop visits, for its comment.
std::string comment(const scan::Level &here);

/// Statements that have no origin yet have that one, in the block and inside.
loop::Block with_origin(loop::Block block, const loop::Origin &origin);

/// What is done where all of the conditions hold.
inline loop::Block where(std::vector<term::Term> conditions, loop::Block block) {
  if (conditions.empty()) return block;
  return {{loop::If{term::conjunction(std::move(conditions)), std::move(block), ""}}};
}

} // namespace unravel::lower
