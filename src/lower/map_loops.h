#pragma once

#include "combine/space.h"
#include "lower/lower.h"

#include <cstddef>
#include <functional>

/// What the loop of a level does with the map of a find inside of it.
namespace unravel::lower {

/// Does the loop do nothing but add products with what a map of values has to one sum?
bool sums_over_map(const combine::IterationSpace &space, const LeafPlan &leaf, std::size_t index);

/// What such a loop begins with: its variables, and the value that the map of each find has. `map_of`: the
/// array's name, by the level of the find.
loop::Block values_of_map(const scan::Nest &nest, std::size_t index,
                          const std::function<std::string(std::size_t)> &map_of);

/// Declares the sum and makes it by the loop over `of_map`. What isn't stored is 0.0 in the map, and adds
/// nothing, unless it meets an infinity or a NaN: then the sum is NaN, and is made again by the loop over
/// `of_stored`. So no iteration needs a test, and compilers use vectors.
loop::Block sum_of_map(const loop::Local &sum, const loop::For &head, loop::Block of_map,
                       loop::Block of_stored);

/// Is a mark all that decides about an iteration? `body`: what the loop executes.
bool looks_for_marks(const LeafPlan &leaf, std::size_t index, const loop::Block &body);

} // namespace unravel::lower
