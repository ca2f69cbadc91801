#pragma once

#include <cstdint>

/// Where one plan of a kernel becomes faster than another (docs/choice.md: measured on which inputs).
namespace unravel::choose {

/// One key of so many has an entry: from then on testing marks, many at once, beats multiplying by what the
/// map of values holds.
inline constexpr std::int64_t keys_per_mark = 64;
/// ... in rows longer than that on average, one of so many.
inline constexpr std::int64_t long_row = 48;
inline constexpr std::int64_t keys_per_mark_in_long_rows = 256;

/// Passing by an entry without a mark costs that much of what visiting it and looking in a map does.
inline constexpr double visits_per_marked_entry = 0.25;

/// So many times longer is a segment than the loop that looks for targets in it: a binary search per target
/// is faster than passing the segment once, eight positions at a time.
inline constexpr std::int64_t search_ratio = 512;
/// And so many times: passing it is faster than filling a map, from the loop's positions or from its own.
inline constexpr std::int64_t walk_ratio = 32;
inline constexpr std::int64_t walk_ratio_to_map_of_longer = 8;
/// So many times longer is a segment than the loop: it is passed, and the map filled from the loop's
/// positions.
inline constexpr std::int64_t map_ratio = 2;

/// Both a loop and the segment have so many positions, and neither more than so many times those of the
/// other: passing them in step is faster than a walk.
inline constexpr std::int64_t shortest_in_step = 8;
inline constexpr std::int64_t in_step_ratio = 8;

/// Positions of a segment that aren't worth a map, though several loops look for targets in it.
inline constexpr std::int64_t shortest_map = 3;
/// ... though one loop does.
inline constexpr std::int64_t shortest_map_for_one_loop = 2;

/// Keys that a map may range over, and one that each thread has: 8 bytes each.
inline constexpr std::int64_t longest_map = std::int64_t{1} << 28;
inline constexpr std::int64_t longest_map_per_thread = std::int64_t{1} << 24;

/// Entries that a parallel loop runs over, at least: for fewer, waking a team costs more than it saves. Where
/// each is also looked for in another tensor, and where most are passed by for want of a mark.
inline constexpr std::int64_t least_entries = std::int64_t{1} << 19;
inline constexpr std::int64_t least_found_entries = std::int64_t{1} << 18;
inline constexpr std::int64_t least_marked_entries = std::int64_t{1} << 20;
/// Iterations of a dense innermost loop that take the time of one entry.
inline constexpr std::int64_t dense_per_entry = 4;
/// A row takes as long as so many entries, besides its own: most of that is the end of its loop.
inline constexpr std::int64_t entries_per_row = 3;
/// Elements of the result that are set to zero in the time of one entry.
inline constexpr std::int64_t cleared_per_entry = 4;
/// What a segment is taken to have, where segments are nested in segments.
inline constexpr std::int64_t entries_per_segment = 8;
/// Shorter segments, on average, are summed up faster without vectors and without unrolling.
inline constexpr double brief_segment = 8;
/// Chunks that a loop is cut into, at least, where a team just pays: taking a chunk costs as much as some
/// hundred entries, while threads must not wait for the last one.
inline constexpr std::int64_t least_chunks = 32;
/// Entries and iterations in one piece of a loop that is cut into equal work: two binary searches take the
/// time of some hundred entries.
inline constexpr int work_of_piece = 1 << 14;
/// Entries in one chunk of a parallel loop over entries.
inline constexpr int chunk_of_entries = 4096;

/// Rows in one chunk of a loop over all entries.
inline constexpr int owned_chunk = 2048;

/// Inner products of dense rows that are summed up at once, and the elements that such a row must have where
/// that is known.
inline constexpr std::int64_t dot_products_at_once = 4;
inline constexpr std::int64_t shortest_dot_product = 8;

/// Of iterations and dependences per level of a wavefront, on average: with less a level's barrier costs more
/// than a second thread gains.
inline constexpr std::int64_t least_work_of_level = 20000;
/// And of one iteration: in the order of levels iterations lie far apart in memory, and of short ones each
/// waits for its first entries longer than it computes.
inline constexpr std::int64_t least_work_of_iteration = 128;
/// So many iterations before it runs in the order of levels, what an iteration reads first is fetched; so
/// many positions of its segments, the processor fetches the others.
inline constexpr int iterations_ahead = 16;
inline constexpr int positions_ahead = 32;
/// Where what they read is packed, so that it lies in the order of levels.
inline constexpr std::int64_t least_work_of_packed_level = 12000;

} // namespace unravel::choose
