#pragma once

#include "lower/find_code.h"

/// Code of the maps of finds: dense ones, by key, and hashed ones.
namespace unravel::lower {

/// The name of the value that was found in a map of values.
std::string found_value(const scan::Level &level);

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

} // namespace unravel::lower
