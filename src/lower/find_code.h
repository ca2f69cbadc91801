#pragma once

#include "find/plan.h"
#include "loop/loop.h"

#include <functional>

/// The code skeletons of the find templates.
namespace unravel::lower {

/// Statements to run at a match; the level's variable holds the position.
using Body = std::function<loop::Block()>;

/// The variable that keeps the state of a sequential find between visits.
std::string state_variable(const scan::Level &level, const find::LevelPlan &plan);

/// The names of a map's arrays in the workspace, and of the value that was found.
std::string map_array(const scan::Level &level, const find::LevelPlan &plan);
std::string marks_array(const scan::Level &level);
std::string found_value(const scan::Level &level);

/// Does the map hold the operand's values in place of positions?
bool holds_values(const find::LevelPlan &plan);

/// Fills the map from its segment. `value`: of the operand at the level's variable, where the map holds
/// values.
loop::Block fill_map(const scan::Level &level, const find::LevelPlan &plan, const loop::Value &value);
/// Empties it again; nothing where positions may stay.
loop::Block clear_map(const scan::Level &level, const find::LevelPlan &plan);

/// One visit of a find. Precondition: its state, if it has one, is declared outside.
loop::Block find_code(const scan::Level &level, const find::LevelPlan &plan, const Body &body);

/// Declares the variable `position` with the first position of [lower, upper) where `skip` (over the level's
/// variable) is false.
loop::Block lower_bound(const std::string &position, const scan::Level &level, const term::Term &skip);

} // namespace unravel::lower
