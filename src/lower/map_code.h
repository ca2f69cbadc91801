#pragma once

#include "combine/space.h"
#include "lower/find_code.h"
#include "lower/lower.h"

#include <cstddef>
#include <functional>
#include <utility>

/// Code of the maps of finds: dense ones, by key, and hashed ones.
namespace unravel::lower {

/// The name of the local with what a map has at the place looked at: a value of the tensor, or whether there
/// is an entry. These have different types, so each has its own name.
std::string found_value(const scan::Level &level, const plan::DenseMap &map);

/// Fills the map from its segment. `value`: of the operand at the level's variable, where the map holds
/// values.
loop::Block fill_map(const scan::Level &level, const plan::LevelPlan &plan, const MapArrays &arrays,
                     const loop::Value &value);
/// Empties it again; nothing where positions may stay.
loop::Block clear_map(const scan::Level &level, const plan::LevelPlan &plan, const MapArrays &arrays);

/// One visit of a find by a dense map.
loop::Block look_in_map(const scan::Level &level, const plan::DenseMap &map, const MapArrays &arrays,
                        const Body &body);
/// One visit of a find by a hash map.
loop::Block look_in_hash(const scan::Level &level, const plan::HashMap &map, bool unique,
                         const MapArrays &arrays, const Body &body);

// ---- What the loop of a level does with the map of a find inside of it.

/// The map inside of which the loop does nothing but add to one sum: products with what a map of values has,
/// or, where it holds the presence, what doesn't depend on what is found. Else null.
const plan::DenseMap *summed_map(const combine::IterationSpace &space, const LeafPlan &leaf,
                                 std::size_t index);

/// What such a loop begins with: its variables, and the value that the map of each find has. `map_of`: the
/// array's name, by the level of the find.
loop::Block values_of_map(const LeafPlan &leaf, std::size_t index,
                          const std::function<std::string(std::size_t)> &map_of);

/// Declares the sum and makes it by the loop over `of_map`. What isn't stored is 0.0 in the map, and adds
/// nothing, unless it meets an infinity or a NaN: then the sum is NaN, and is made again by the loop over
/// `of_stored`. So no iteration needs a test, and compilers use vectors.
/// `type`: of the sum.
loop::Block sum_of_map(const loop::Local &sum, value::Type type, const loop::For &head, loop::Block of_map,
                       loop::Block of_stored);

/// Makes the sum of a value over a map of presence, and the sum itself. No iteration has a branch; where the
/// value is 1 in each, those that are present are counted. Where the plan knows that keys and targets are in
/// order, targets that lie apart from all keys are passed by. `of_map`: what the loop begins with.
std::pair<loop::Block, loop::Value> sum_of_present(const combine::IterationSpace &space, const LeafPlan &leaf,
                                                   const loop::For &head, loop::Block of_map,
                                                   const loop::Value &value);

/// The loop, where the ranges of its targets and of the segment's keys overlap: both are in order. `target`:
/// over the loop's variable; `key`: over the segment's, `position`, which lies in [lower, upper).
loop::Statement where_they_overlap(loop::For loop, const term::Term &target, const term::Term &key,
                                   const std::string &position, const term::Term &lower,
                                   const term::Term &upper);

/// Is a mark all that decides about an iteration? `body`: what the loop executes.
bool looks_for_marks(const LeafPlan &leaf, std::size_t index, const loop::Block &body);

} // namespace unravel::lower
