#pragma once

#include "combine/space.h"
#include "lower/lower.h"

#include <cstddef>

/// What the loop of a level does with the map of a find inside of it.
namespace unravel::lower {

/// Does the loop do nothing but add products with what a map of values has to one sum?
bool sums_over_map(const combine::IterationSpace &space, const LeafPlan &leaf, std::size_t index);

/// Is a mark all that decides about an iteration? `body`: what the loop executes.
bool looks_for_marks(const LeafPlan &leaf, std::size_t index, const loop::Block &body);

} // namespace unravel::lower
