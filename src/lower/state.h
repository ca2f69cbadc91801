#pragma once

#include "loop/loop.h"
#include "lower/lower.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// The states of walks: scalars and arrays, and what becomes of them in parallel loops (plan/states.h).
namespace unravel::lower {

/// The variable with which a chunk's walk begins: its state, or in step the first position.
std::string begin_of(const scan::Nest &nest, const plan::LevelPlan &plan);

/// That variable, declared: where the search for the target of `first`, the first iteration of a chunk of the
/// loop at level `parallel`, would stop. Where that can't be said in advance, the state's first value.
/// Precondition: the state is a scalar.
loop::Block seed(const scan::Nest &nest, const plan::LevelPlan &plan, std::size_t parallel,
                 const term::Term &first);

/// The states of a find in an array: `array` is its name in the workspace.
///
/// Every slot gets the state's first value. Where the plan's state_level lies.
loop::Block fill_states(const std::string &array, const scan::Level &level, const plan::Walk &walk);
/// One visit of the find, `walk`, with its slot for a state: read before, written after.
loop::Block with_slot(const std::string &array, const scan::Level &level, const plan::LevelPlan &plan,
                      loop::Block walk);

/// Of an array of states, row-major: the visit's slot; under a name where there are several indices.
term::Term slot_of(const plan::Walk &walk);
term::Term named_slot(const scan::Level &level, const plan::Walk &walk, loop::Block &block);

/// The product of extents, 0 where one of them is below 1.
term::Term slots_of(const std::vector<term::Term> &extents);

/// Whether a walk that has reached its segment's end ends the innermost loop around its find: nothing that
/// this loop still executes would match.
///
/// By the walk's invariant (find/walk.h) no position before the state, seen in its direction, matches this or
/// any later visit with the same state. So it is enough that the state is kept from iteration to iteration of
/// the loop, that the end is the same in all of them, and that an iteration does nothing without a match.
/// `cleared`: the level at which the result is cleared, if one is.
bool ends_loop(const LeafPlan &leaf, const plan::LevelPlan &plan, std::optional<std::size_t> cleared);

/// The walk that the loop at that level leads to, if its keys and targets are in order; else null.
const plan::LevelPlan *walk_in_order(const LeafPlan &leaf, std::size_t loop);
/// That loop, where the ranges of its targets and of the walk's segment overlap.
loop::Statement where_they_overlap(const LeafPlan &leaf, const plan::LevelPlan &walk, loop::For loop);

} // namespace unravel::lower
