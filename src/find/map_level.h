#pragma once

#include "find/obligations.h"

#include <optional>

/// Where the map of a find is filled: a question of which variables occur, no proof is needed.
namespace unravel::find {

/// The level of the nest before which a map of the find's segment can be filled: the outermost from which on
/// the segment and the keys depend on nothing further in, seen through what is determined, and where reading
/// them is safe. None where that is the find itself.
std::optional<std::size_t> map_level(const Obligations &obligations);

/// How many loops (or finds with several matches) lie between a level and the find.
std::size_t loops_since(const Obligations &obligations, std::size_t level);

} // namespace unravel::find
