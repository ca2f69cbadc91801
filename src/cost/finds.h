#pragma once

#include <algorithm>
#include <cmath>

/// What finds and loops cost, in visits of a loop: by it loop orders and methods are compared before there is
/// code. (What a kernel asks at run time, and when: thresholds.h.)
namespace unravel::cost {

// ---- where nothing is known of the data: a mode has so many coordinates, a segment so many entries, a list
// of entries of a vector or of a matrix so many

inline constexpr double default_size = 1000;
inline constexpr double default_segment = 8;
inline constexpr double default_vector_entries = 100;
inline constexpr double default_entries = 8000;

// ---- methods

/// A step of a binary search: it is mispredicted every other time (measured on rows of a Poisson matrix
/// against vectors of 100 to 10000 entries).
inline constexpr double search_step = 5;
/// To see that a target lies outside of a segment: two looks that are foreseen.
inline constexpr double search_outside = 1;
/// Putting a position into a map, and taking it out again.
inline constexpr double map_step = 3;
/// Beginning a map, for each key that it may have: once for all calls.
inline constexpr double cleared_key = 0.25;
/// Looking at a map; less where the whole kernel has one, since then many targets are looked up at once.
inline constexpr double look_up = 1;
inline constexpr double shared_look_up = 0.25;
/// Putting a position into a hash map and taking it out again, or looking for a target in one: so many steps
/// of a scan (measured on rows of 3 to 20 entries: 12 ns against 0.4).
inline constexpr double hash_step = 16;
/// So many positions are passed at a time by a long walk.
inline constexpr double walk_stride = 8;
/// Of a walk that is planned before its length is known: passing a position, and stopping at a target.
inline constexpr double walk_step = 0.25;
inline constexpr double walk_stop = 4;
/// States in an array are taken where they are that much better than binary search (measured on products of
/// sparse matrices, by rows of 1 to 20 entries and columns of 10 to 1000: on a par where the costs are).
inline constexpr double array_gain = 2;

/// Loops over blocks of rows stand outside, except where that does so many times more.
inline constexpr double gain_of_blocks = 4;

/// Of a walk over a range that serves so many targets.
inline double of_walk(double range, double targets) {
  return range * targets / (targets + 1) / walk_stride + 2 * targets;
}

/// `reach`: the part of the targets that doesn't lie outside of the segment.
inline double of_search(double range, double targets, double reach = 1) {
  return targets * (reach * std::log2(range + 1) * search_step + (1 - reach) * search_outside);
}

/// In steps of a scan.
inline double of_hash(double range, double targets) {
  return hash_step * (range + targets);
}

/// Of the cheapest way to find one target, for the choice of a loop order. `sharing`: so many visits share a
/// state or a map, from `loops` loops further in on; `is_shared_by_all`: those of the whole kernel do.
inline double of_find(double length, double reach, double sharing, std::size_t loops, bool is_shared_by_all) {
  double search = reach * search_step * std::log2(1 + length);
  double walk = loops == 1 ? walk_stop + walk_step * length / sharing : search;
  double map = (is_shared_by_all ? shared_look_up : look_up) + map_step * length / sharing;
  // One pass through the whole kernel: a walk does it in order, and needs no memory.
  return std::min(search, is_shared_by_all && loops == 1 ? walk : std::min(walk, map));
}

// ---- loops

/// One value at most that an equation with a factor leaves, as 2*j = i does: a division, and a test whether
/// nothing is left. (More than a value that is told, so that i follows from j.)
inline constexpr double divided = 1.25;

/// The part of the visits that a find lets through.
inline constexpr double hit_rate = 0.5;
/// What a strided access in the innermost loop costs more.
inline constexpr double stride_penalty = 1.5;

} // namespace unravel::cost
