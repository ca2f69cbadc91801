#pragma once

#include "depend/wavefront.h"
#include "loop/loop.h"
#include "plan/find.h"
#include "scan/nest.h"
#include "value/operators.h"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// How a leaf, or a statement of a program, is executed: its nest, its finds, what runs in parallel.
namespace unravel::plan {

struct Alternative;

/// How an element is looked for: by the levels [first, end) of the nest, behind conditions, directly before
/// the level `before` of those that visit instances.
struct Search {
  std::size_t lookup = 0, place = 0; // of the space's
  std::size_t first = 0, end = 0;
  std::size_t before = 0;
  std::vector<term::Term> conditions;
};

/// How the iterations of the parallel loop are shared out: in chunks. `share` is that of the work by which
/// these are larger (loop::Parallel).
struct Chunks {
  std::int64_t share = 0;
};

/// In pieces of equal work, by binary search in what is before each iteration.
struct EqualWork {
  /// Over the loop's variable: the work before that iteration. It increases over [lower, upper]. It has a
  /// value at both ends, if the loop has an iteration; where it has none, only with `when_empty`.
  term::Term before;
  bool when_empty = false;
  /// Pieces may also begin and end inside an iteration, which then shares those of the loop of this level:
  /// its own loop but for assignments in between.
  std::optional<std::size_t> within;
  /// That loop carries additions: those of iterations that are cut are atomic.
  bool adds = false;
};

/// Each visit of entries that are dealt is cut into one part of equal work for each thread, by the outermost
/// loop. A part's entries are counted by themselves, and placed behind those of the parts before it.
struct ThreadParts {
  EqualWork work;
  std::int64_t least = 0; // of the work of a part; 0: each thread has one
};

/// The level that runs in parallel is a Find v of the interval in which the outermost level's loop variable p
/// lies: key(v) <= p < key(v) + width(v). Its range is cut into chunks, which run in parallel, each over the
/// positions p of its intervals. Precondition: iterations of different v don't conflict, and the intervals of
/// consecutive v lie between the first one's start and the last one's end.
struct OwnedChunks {};

/// What threads do where iterations of the parallel loop add to the same elements.
enum class Reduction {
  None,    // they don't
  Scalar,  // there is one such element: each adds to a sum of its own
  Private, // each adds to a copy of the result
  Atomic,  // each addition is atomic
};

/// A loop whose sums are kept in a local tensor and then multiplied with the factors that don't change in it.
struct Hoist {
  std::size_t level = 0;          // the loop; those over the dense modes stand innermost
  std::vector<std::string> modes; // the variables of the local's modes, as their loops stand
  std::set<std::string> outside;  // the factors that don't change: operands' names
};

/// A part of a leaf's product: some of the operands, and sums of parts before it. It is added up in a local
/// value or tensor, the last part in the target.
struct Part {
  std::set<std::string> factors;  // operands' names
  std::vector<std::size_t> parts; // whose sums it reads, by their numbers
  std::vector<scan::Level> modes; // of its own sum: loops over all elements
  bool sets = false;              // each element of its sum is a single term
  bool may_be_empty = false;      // and then what reads its sum isn't executed
};

/// A loop, or several, with what is in it; or a part.
struct PartNode {
  std::optional<std::size_t> part;
  std::vector<scan::Level> levels; // loops and assignments, of a part those around it
  std::vector<PartNode> body;      // of loops
  std::vector<std::size_t> begins; // the parts whose sums begin in front of it
};

/// A leaf's product as loops over its parts, some of which others share (contract::Forest).
struct Parts {
  std::vector<Part> all;      // in the order in which they are executed
  std::size_t begin = 0;      // so many of the nest's levels are around all of them
  std::vector<PartNode> body; // what is inside
  value::Operator product = value::Operator::Multiply;
  /// Why the leaf's own loops are these, outermost first; what is outside of one is outside of those further
  /// in. Empty where a plan of contractions says so.
  std::vector<Hoist> hoists;
};

/// The values of a loop are visited by the keys that they have, compared from the first to the last, and
/// those of the same keys in increasing order.
struct SortedLoop {
  std::size_t level = 0;
  std::vector<term::Term> keys; // over the loop's variable and outer ones
  /// Of the outermost loop, where it is proved: each key lies in [0, extent), with one of these for each.
  std::vector<term::Term> extents;
};

/// A statement of a local tensor's whose loop is merged with those of the others: for each coordinate that
/// one of them has, by increasing coordinate, what each adds, and then what the local is read for. So the
/// local's element is a scalar. All statements that are merged lie side by side in the nest tree, the one
/// that reads last (for any number of ranges what Kjolstad et al., OOPSLA 2017, do for two by cases).
struct Merged {
  std::string local;
  /// Its loop: over positions of which `keys` holds the coordinates, strictly increasing; of the statement
  /// that reads, over the local's entries, and there are no keys.
  std::size_t level = 0;
  std::string keys;
  std::vector<std::string> positions; // of the statement that reads: the variables that are an entry's
  /// Of all of them: a statement may add nothing at a coordinate that it has.
  bool is_tested = false;
  /// Conditions stand around its loop, or the range is found.
  bool is_conditional = false;

  bool reads() const { return keys.empty(); }
};

/// One leaf, ready to be lowered.
struct LeafPlan {
  scan::Nest nest;
  FindPlan finds;
  std::optional<std::size_t> parallel; // the level whose loop runs in parallel
  std::variant<Chunks, EqualWork, OwnedChunks> cut;
  int chunk = 32; // iterations, or the work of a piece
  loop::Parallel::Schedule schedule = loop::Parallel::Schedule::Dynamic;
  bool chunk_per_thread = false;  // static chunks as large as can be
  std::int64_t least = 0;         // iterations below which the parallel loop runs in one thread
  std::optional<term::Term> work; // what `least` is compared with instead
  Reduction reduction = Reduction::None;

  /// The level that assigns the result's first coordinate in the outermost loop: a larger value in each
  /// iteration.
  std::optional<std::size_t> increasing;

  /// The level whose loop the data are known to make so short that vectors don't pay.
  std::optional<std::size_t> brief;

  /// The number of outermost loops that it shares with other leaves: of a program's statement those of the
  /// source, of a free one at most one, where that was chosen.
  std::size_t shared = 0;
  bool joins = false; // of a free one: it shares the outermost loop of the leaf before
  /// And the number of that one which runs in parallel.
  std::optional<std::size_t> shared_parallel;

  /// Of a program's statement: the level from which on it adds to one element that it doesn't read there,
  /// though it reads others of that tensor: the sum is kept in a local value.
  std::optional<std::size_t> sums_at;

  /// How the space's lookups are done, by levels of the nest behind those that visit instances.
  std::vector<Search> searches;

  /// Of a statement that appends to an assembled result: no two instances are of one coordinate.
  bool is_distinct = false;
  /// Which of its loops is sorted for that, so that they come in the order of the result's layout.
  std::optional<SortedLoop> sorted;
  /// Its entries are counted by the result's first position, in one visit, and placed in another one: only
  /// those of the same first position come in the layout's order.
  bool is_dealt = false;
  std::optional<ThreadParts> dealt_by_threads;

  std::optional<Merged> merged;

  std::optional<Parts> parts; // then there are neither alternatives nor finds

  /// Other plans for the same space. They agree in the levels [0, split); the first whose condition, over the
  /// variables of these levels, holds there is executed instead of what follows.
  std::size_t split = 0;
  std::vector<Alternative> alternatives;

  /// The number of levels that visit instances.
  std::size_t visits() const { return nest.instances.value_or(nest.levels.size()); }
  /// Does it add to a local's element that is a scalar in the merging loop?
  bool adds_to_scalar() const { return merged && !merged->reads(); }

  /// Of whose loop threads share the iterations.
  std::optional<std::size_t> level_of_threads() const { return dealt_by_threads ? 0 : parallel; }

  const EqualWork *equal() const { return std::get_if<EqualWork>(&cut); }
  /// Does its product have parts as a plan of contractions says?
  bool has_planned_parts() const { return parts && parts->hoists.empty(); }
  /// The sums that its own loops keep in locals.
  std::span<const Hoist> hoists() const { return parts ? parts->hoists : std::span<const Hoist>(); }

  bool is_owned() const { return std::holds_alternative<OwnedChunks>(cut); }
  /// Threads take whole iterations, each with elements of its own.
  bool is_plain() const { return std::holds_alternative<Chunks>(cut) && reduction == Reduction::None; }
};

struct Alternative {
  term::Term condition;
  std::string reason; // a comment: when, and why then
  LeafPlan plan;      // without alternatives; its states and maps begin at `split` or further in
};

/// What iterations of a loop read of arrays at positions of a segment of their own, [lower, upper) over the
/// loop's variable; the next iteration's, or the last one's, follows it in memory.
struct PackedSegment {
  term::Term lower, upper; // applications: rowptr(i), rowptr(i + 1)
  /// Arrays that are read at such positions alone: "L.col"; "L.val".
  std::vector<std::string> indices, values;
  term::Term room; // over sizes and counts: no more positions in all segments together
};

/// A program's outermost loop that is executed in wavefronts: that of the leaves [first, last). None of their
/// finds keeps a state or a map from one of its iterations to the next.
struct Wavefronts {
  std::size_t first = 0, last = 0;
  std::vector<depend::Visit> visits;   // by their numbers in the range
  std::int64_t least = 0;              // of work per level on average; with less the loop is sequential
  std::int64_t least_of_iteration = 0; // likewise, per iteration
  /// The inspector copies these in the order of levels, and the kernel reads the copies.
  std::vector<PackedSegment> packed = {};
  /// Of others the first positions are fetched in advance, so many, while an iteration so many before runs.
  /// 0: nothing is.
  std::vector<PackedSegment> prefetched = {};
  int ahead = 0, positions_ahead = 0;
};

/// Per alternative: when it is taken, its nest, its finds. Empty without alternatives.
std::string to_text(const LeafPlan &plan);

} // namespace unravel::plan
