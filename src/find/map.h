#pragma once

#include "find/obligations.h"

/// Where a map from keys to positions is filled: what hash maps and dense maps have in common. The
/// variables that occur decide, and where something is tested in between, the prover.
namespace unravel::find {

/// The outermost level of the nest before which the find's segment and the keys of its positions can be
/// computed and read. Seen through Lets and through direct finds without a test. At most the find's own
/// level: then every visit fills the map anew. In a parallel loop further in, all iterations share the map.
std::size_t map_level(const Obligations &obligations);

/// How many loops (or finds with several matches) lie between a level and the find: without any, a map that
/// is filled there serves one visit.
std::size_t loops_since(const Obligations &obligations, std::size_t level);

/// The first level from `level` on that is no assignment without guards: what is placed there may use these,
/// at no cost.
std::size_t behind_assignments(const std::vector<scan::Level> &levels, std::size_t level);

/// The map's level, behind assignments that follow, and the segment's bounds there: where what the keys read
/// is proved to lie in its arrays (O-read).
plan::FilledMap place_of_map(Obligations &obligations);

} // namespace unravel::find
