#pragma once

#include "lower/find_code.h"

/// Code of the maps of finds: dense ones, by key, and hashed ones.
namespace unravel::lower {

/// The names of a map's arrays in the workspace, and of the value that was found.
std::string map_array(const scan::Level &level, const find::LevelPlan &plan);
std::string marks_array(const scan::Level &level);
std::string chains_array(const scan::Level &level);
std::string found_value(const scan::Level &level);

/// Does the map hold the operand's values in place of positions?
bool holds_values(const find::LevelPlan &plan);

/// Fills the map from its segment. `value`: of the operand at the level's variable, where the map holds
/// values.
loop::Block fill_map(const scan::Level &level, const find::LevelPlan &plan, const loop::Value &value);
/// Empties it again; nothing where positions may stay.
loop::Block clear_map(const scan::Level &level, const find::LevelPlan &plan);

/// One visit of a find by a dense map.
loop::Block look_in_map(const scan::Level &level, const find::LevelPlan &plan, const Body &body);
/// One visit of a find by a hash map.
loop::Block look_in_hash(const scan::Level &level, const find::LevelPlan &plan, const Body &body);

} // namespace unravel::lower
