#pragma once

#include "lower/lower.h"

#include <cstddef>

namespace unravel::lower {

/// Whether a walk that has reached its segment's end ends the innermost loop around its find: nothing that
/// this loop still executes would match.
///
/// By the walk's invariant (find/walk.h) no position before the state, seen in its direction, matches this or
/// any later visit with the same state. So it is enough that the state is kept from iteration to iteration of
/// the loop, that the end is the same in all of them, and that an iteration does nothing without a match.
/// `cleared`: the level at which the result is cleared, if one is.
bool ends_loop(const LeafPlan &leaf, const plan::LevelPlan &plan, std::optional<std::size_t> cleared);

} // namespace unravel::lower
