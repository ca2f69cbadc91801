#pragma once

#include "machine/profile.h"

#include <cstdint>

/// Where one plan of a kernel becomes faster than another (docs/choice.md: measured on which inputs). What
/// depends on the machine is in `Thresholds`; the constants hold on any, for the reasons given with them.
namespace unravel::cost {

/// Those that follow from a machine's profile. "Entries" are of a plain sum, `Profile::entry` each.
struct Thresholds {
  /// Entries that a parallel loop runs over, at least: for fewer, waking a team costs more than it saves.
  /// Where each is also looked for in another tensor, and where most are passed by for want of a mark.
  std::int64_t least_entries = 0, least_found_entries = 0, least_marked_entries = 0;
  /// Tiles of which a walk tells the next one run in parallel, unless a loop inside has so many iterations:
  /// then that one does, in each tile, and tiles without entries are passed by.
  std::int64_t least_iterations_inside_tiles = 0;
  /// A row takes as long as so many entries, besides its own: most of that is the end of its loop.
  std::int64_t entries_per_row = 0;

  /// One key of so many has an entry: from then on testing marks, many at once, beats multiplying by what the
  /// map of values holds. Likewise in rows longer than `long_row` on average.
  std::int64_t keys_per_mark = 0, keys_per_mark_in_long_rows = 0;
  /// So many times longer is a segment than the loop that looks for targets in it: a binary search per target
  /// is faster than passing the segment once, eight positions at a time.
  std::int64_t search_ratio = 0;

  /// Entries in one chunk of a parallel loop over entries; rows in one chunk of a loop over all entries:
  /// threads take chunks from one counter.
  int chunk_of_entries = 0, owned_chunk = 0;
  /// Entries and iterations in one piece of a loop that is cut into equal work: for much more than two binary
  /// searches.
  int work_of_piece = 0;

  /// Of iterations and dependences per level of a wavefront, on average: with less a level's barrier costs
  /// more than a second thread gains. And where what iterations read is packed, so that it lies in the order
  /// of levels.
  std::int64_t least_work_of_level = 0, least_work_of_packed_level = 0;
  /// And of one iteration: in the order of levels iterations lie far apart in memory, and of short ones each
  /// waits for its first entries longer than it computes.
  std::int64_t least_work_of_iteration = 0;

  /// In proportion to what is said of lines in cost/contractions.h: what it costs to fetch one here.
  double line = 1;
};

/// They change by powers of two, so that a machine that is measured again has the same kernels. Precondition:
/// the profile's times are positive.
Thresholds thresholds_of(const machine::Profile &profile);

/// In rows longer than that on average vectors are full most of the time. (A count: of vectors of 8.)
inline constexpr std::int64_t long_row = 48;

/// Passing by an entry without a mark costs that much of what visiting it and looking in a map does. (Loads:
/// a position's key and, for many of them at once, marks, against key, value, the map's value and the row's
/// end.)
inline constexpr double visits_per_marked_entry = 0.25;

/// A segment is so many times longer than the loop that looks for targets in it: passing it is faster than
/// filling a map, from the loop's positions or from its own. (Counts: passing takes one load for 8 positions,
/// a map takes a load and a store for each, and another load for each target.)
inline constexpr std::int64_t walk_ratio = 32;
inline constexpr std::int64_t walk_ratio_to_map_of_longer = 8;
/// So many times longer is a segment than the loop: it is passed, and the map filled from the loop's
/// positions. (Counts: filling takes two stores, one of them to empty the map again, looking one load.)
inline constexpr std::int64_t map_ratio = 2;

/// Both a loop and the segment have so many positions, and neither more than so many times those of the
/// other: passing them in step is faster than a walk. (Counts: 8 keys are compared with 8.)
inline constexpr std::int64_t shortest_in_step = 8;
inline constexpr std::int64_t in_step_ratio = 8;

/// Positions of a segment that aren't worth a map, though several loops look for targets in it, and though
/// one loop does. (Counts: so few are passed in as many loads as a map takes to be filled.)
inline constexpr std::int64_t shortest_map = 3;
inline constexpr std::int64_t shortest_map_for_one_loop = 2;
/// Likewise, of a map that tells the presence alone. (Looking takes no branch, a walk one for each target.)
inline constexpr std::int64_t shortest_map_of_presence = 1;
/// Positions of a segment that are scanned for each target: `hash_step` of cost/finds.h, twice.
inline constexpr std::int64_t shortest_hash = 32;

/// Keys that a map may range over, and one that each thread has: 8 bytes each. (Memory that a kernel may
/// take: 2 GB, and 128 MB for each thread.)
inline constexpr std::int64_t longest_map = std::int64_t{1} << 28;
inline constexpr std::int64_t longest_map_per_thread = std::int64_t{1} << 24;

/// Iterations of a dense innermost loop that take the time of one entry. (Lanes of a vector that every
/// processor of these years has.)
inline constexpr std::int64_t dense_per_entry = 4;
/// Looking for one target in a segment takes as long as so many entries, besides what is walked over: so many
/// positions in the time of one entry. A segment that is short for that is put into a map. (Two branches that
/// nobody foresees; one load for 8 positions.)
inline constexpr std::int64_t entries_per_search = 4;
inline constexpr std::int64_t walked_per_entry = 8;
/// Elements of the result that are set to zero in the time of one entry. (As of dense loops.)
inline constexpr std::int64_t cleared_per_entry = 4;
/// What a segment is taken to have, where segments are nested in segments. (Of data, not of a machine.)
inline constexpr std::int64_t entries_per_segment = 8;
/// Shorter segments, on average, are summed up faster without vectors and without unrolling. (They don't fill
/// one vector.)
inline constexpr double brief_segment = 8;
/// Chunks that a loop is cut into, at least, where a team just pays: threads must not wait long for the last
/// one. (A share of the work: that much is lost at most. As a team pays from thousands of barriers' time on,
/// taking a chunk costs little against it.)
inline constexpr std::int64_t least_chunks = 16;

/// Inner products of dense rows that are summed up at once, and the elements that such a row must have where
/// that is known. (An addition takes 3 or 4 cycles on processors of these years; one vector's elements.)
inline constexpr std::int64_t dot_products_at_once = 4;
inline constexpr std::int64_t shortest_dot_product = 8;

/// Iterations of the loop around such inner products, on average, below which they are summed up one by one:
/// up to three of them are left for a loop of their own.
inline constexpr double least_jammed = 8;

/// So many iterations before it runs in the order of levels, what an iteration reads first is fetched; so
/// many positions of its segments, the processor fetches the others. (Counts: a core waits for 10 to 24 lines
/// of memory at once; two to four lines tell it in which direction the next ones lie.)
inline constexpr int iterations_ahead = 16;
inline constexpr int positions_ahead = 32;

} // namespace unravel::cost
