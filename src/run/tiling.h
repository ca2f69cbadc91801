#pragma once

#include "machine/data_caches.h"
#include "pipeline.h"
#include "tensor/tensor.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// What a schedule has made of an iteration space, and what its tiles come to on given data. Every count is
/// of a run: the kernel's own loops are executed by the interpreter, which tells of each iteration, each
/// point and each element that is touched. No formula stands for what they do.
namespace unravel::run {

/// One variable of a scanned leaf, outermost first.
struct TilingLevel {
  scan::Level::Kind kind = scan::Level::Kind::Loop;
  std::string variable;
  std::string text;                // "find A.p in [...) where ..."
  std::vector<std::string> guards; // conditions that are tested before the levels inside
  std::string run;                 // of a loop: "parallel", "reduction", "serial"
  std::string found_by;            // of a find: its template, "binary"; "sequential, a state per {i}"
  bool in_map = false;             // of a find: in a map, which loops over the variable fill
  std::string tile_of;             // of floor(j / 64): "j"; else empty
  std::int64_t tile_size = 0;
};

struct TilingLeaf {
  std::string space;  // the transformed one, as text
  std::string chosen; // why another plan than the main one is executed on these data; else empty
  std::vector<TilingLevel> levels;
};

/// How many iterations of a kernel's loops over a variable there were, and in how many of them a point was
/// reached.
struct Iterations {
  std::int64_t all = 0;
  std::int64_t with_points = 0;

  friend bool operator==(const Iterations &, const Iterations &) = default;
};

/// Bytes of the elements that an iteration touches, each counted once; over the iterations with points.
struct Touched {
  std::string array; // "A.col"; of all together empty
  double average = 0;
  std::int64_t maximum = 0;
};

/// A loop over tiles: the values of one variable.
struct TileLoop {
  std::string variable; // "j.tile"
  std::string of;       // "j"
  std::int64_t size = 1;
  term::Term number; // of its values, over sizes and counts
  // On data:
  std::int64_t exist = 0;       // the same as a number
  std::int64_t with_points = 0; // values at which the iteration space has a point
  Iterations iterations;
  Touched touched;             // in one iteration
  std::vector<Touched> arrays; // the parts of it
};

/// All loops over tiles together: a tile is one value of each.
struct TileNest {
  std::optional<std::int64_t> exist; // none: too many to be told apart from those that the bounds exclude
  std::int64_t at_most = 0;          // the product of the loops' numbers
  std::int64_t with_points = 0;
  Iterations entered; // iterations of the innermost of them
};

/// A tile that was entered, once or several times.
struct TileVisit {
  std::vector<std::int64_t> values; // of the tile loops' variables
  bool has_points = false;
};

/// A loop of the kernel as it ran.
struct LoopRun {
  std::string variable;
  Iterations iterations;
};

struct TilingCounts {
  std::int64_t points = 0; // of the iteration space, reached
  TileNest nest;
  std::vector<LoopRun> loops;    // of all levels that the kernel has a loop for, outermost first
  std::vector<TileVisit> visits; // by their values; none where there are more than 65536
  std::map<std::string, tensor::Tensor> results; // those that the kernel has assembled, or listed
};

struct Tiling {
  std::string expression;
  std::vector<TilingLeaf> leaves;
  std::vector<TileLoop> tiles; // outermost first
  std::optional<TilingCounts> counts;
  std::vector<machine::DataCache> caches; // smallest first; empty: unknown
};

/// Per leaf its space and levels: with any schedule, or none.
std::vector<TilingLeaf> describe_leaves(const pipeline::Compilation &compilation);

/// What can be said without data. Throws bad_transformation where the schedule has no transformation.
Tiling describe_tiling(const pipeline::Compilation &compilation);

/// The same with counts. The tensors are all that the kernel has, by name; the sizes those that no tensor
/// has. Takes time in proportion to the
/// kernel's steps; throws memory_limit where copies of the arrays and marks for their elements would take
/// more than `max_memory`, not_supported where the loops have more iterations than `most_iterations` (some
/// minutes).
Tiling count_tiling(const pipeline::Compilation &compilation,
                    const std::map<std::string, tensor::Tensor> &tensors, std::int64_t max_memory,
                    const std::map<std::string, std::int64_t> &sizes = {},
                    std::int64_t most_iterations = 2'000'000'000);

std::string to_text(const Tiling &tiling);
/// A line: "data caches: L1 data 48 KB, L2 1 MB".
std::string caches_text(const std::vector<machine::DataCache> &caches);

/// The smallest cache that holds so many bytes, or null.
const machine::DataCache *holds(const std::vector<machine::DataCache> &caches, double bytes);

// ---- what describing a tiling and counting it share

/// Lower and upper bound of a variable, inclusive, over sizes and counts.
struct Bounds {
  term::Term lower, upper;
};

/// What the space says of these variables, sizes and counts alone.
std::vector<term::Term> shadow(const combine::IterationSpace &space, const std::vector<std::string> &kept);

/// None: it has no such bounds.
std::optional<Bounds> bounds_of(const combine::IterationSpace &space, const std::string &variable);

/// Does the kernel's loop over the variable go on where the first of its walks stands (lower/jump.h)?
bool jumps(const loop::Program &program, const std::string &variable);

TilingLeaf describe_leaf(const pipeline::Compilation &compilation, std::size_t index,
                         const plan::LeafPlan &plan);

/// Without counts.
std::vector<TileLoop> tile_loops(const pipeline::Compilation &compilation,
                                 const std::vector<TilingLeaf> &leaves);

/// Throws bad_transformation where the schedule added no variable.
void require_transformation(const pipeline::Compilation &compilation);

} // namespace unravel::run
