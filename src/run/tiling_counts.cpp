// A tiling on data: the kernel's loops are run by the interpreter, and what happens is counted.
#include "run/tiling.h"

#include "data/file_text.h"
#include "loop/interpret.h"
#include "loop/walk.h"
#include "report/diagnostic.h"
#include "run/memory.h"
#include "run/numbers.h"
#include "space/set.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <unordered_map>
#include <unordered_set>

namespace unravel::run {

using term::Term;

namespace {

using Tile = std::vector<std::int64_t>; // a value of each tile loop

struct TileHash {
  std::size_t operator()(const Tile &tile) const {
    std::size_t hash = tile.size();
    for (std::int64_t value : tile)
      hash = (hash ^ static_cast<std::size_t>(value)) * 0x9E3779B97F4A7C15U;
    return hash ^ (hash >> 32);
  }
};

std::int64_t size_in_bits(loop::ElementType type) {
  return type == loop::ElementType::Bit ? 1 : static_cast<std::int64_t>(8 * value::facts_of(type).bytes);
}

std::map<std::string, std::int64_t> element_bits(const loop::Program &program) {
  std::map<std::string, std::int64_t> bits;
  for (const loop::TensorParameter &parameter : program.parameters)
    for (const loop::ArrayParameter &array : parameter.arrays)
      bits[parameter.name + "." + array.name] = size_in_bits(array.element);
  for (const loop::WorkspaceArray &array : program.workspace)
    bits[array.name] = size_in_bits(array.element);
  return bits;
}

/// Counts what a run tells.
class Counter final : public loop::Observer {
public:
  /// `loops`: variables whose iterations are counted; `tiles`: those of them that are tile loops, outermost
  /// first. `room`: bytes for what is kept of tiles.
  Counter(std::vector<std::string> loops, const std::vector<TileLoop> &tiles, const loop::Program &program,
          std::int64_t room, std::int64_t most_iterations)
      : loops_(std::move(loops)), iterations_(loops_.size()), bits_(element_bits(program)), room_(room),
        most_iterations_(most_iterations) {
    for (const TileLoop &tile : tiles) {
      tiles_.emplace_back();
      tiles_.back().loop = index_in(loops_, tile.variable);
    }
    for (const loop::WorkspaceArray &array : program.workspace)
      workspace_.insert(array.name);
  }

  void start(const std::vector<std::string> &variables, const std::vector<std::string> &arrays) override {
    for (const std::string &variable : variables)
      loop_of_.push_back(index_in(loops_, variable));
    arrays_ = arrays;
    for (TileRun &tile : tiles_) {
      tile.marks.resize(arrays.size());
      tile.touched.resize(arrays.size());
      tile.sum.resize(arrays.size());
      tile.largest.resize(arrays.size());
    }
  }

  void enter(std::size_t variable, std::int64_t value) override {
    if (++all_iterations_ > most_iterations_)
      report::fail(report::Kind::not_supported,
                   fmt::format("on these data the loops have more than {} iterations: too many to count",
                               most_iterations_),
                   "take larger tiles or fewer data; a find by scan tries all positions in each tile");
    std::size_t loop = loop_of_[variable];
    if (loop == none) return;
    ++iterations_[loop].all;
    frames_.push_back(points_);
    TileRun *tile = tile_at(loop);
    if (!tile) return;
    tile->active = true;
    tile->value = value;
    if (++tile->serial == 0) { // all marks are old ones
      for (auto &marks : tile->marks)
        std::ranges::fill(marks, 0);
      tile->serial = 1;
    }
    std::ranges::fill(tile->touched, 0);
  }

  void leave(std::size_t variable) override {
    std::size_t loop = loop_of_[variable];
    if (loop == none) return;
    bool has_points = points_ > frames_.back();
    frames_.pop_back();
    iterations_[loop].with_points += has_points;
    if (TileRun *tile = tile_at(loop)) {
      if (has_points) keep(*tile);
      see(has_points);
      tile->active = false;
    }
  }

  void touch(std::size_t array, std::int64_t slot, std::int64_t count) override {
    for (TileRun &tile : tiles_) {
      if (!tile.active) continue;
      std::vector<std::uint32_t> &marks = tile.marks[array];
      auto first = static_cast<std::size_t>(slot), end = first + static_cast<std::size_t>(count);
      if (end > marks.size()) marks.resize(std::max(end, marks.size() * 2));
      for (std::size_t k = first; k < end; ++k)
        if (marks[k] != tile.serial) marks[k] = tile.serial, ++tile.touched[array];
    }
  }

  void point() override { ++points_; }

  std::int64_t points() const { return points_; }
  const Iterations &iterations(const std::string &variable) const {
    return iterations_[index_in(loops_, variable)];
  }
  std::int64_t tiles_with_points() const {
    return std::ranges::count_if(seen_, [](auto &tile) { return tile.second; });
  }
  /// Empty where there are too many to be looked at.
  std::vector<TileVisit> visits() const {
    std::vector<TileVisit> visits;
    if (seen_.size() > most_visits) return visits;
    for (const auto &[values, has_points] : seen_)
      visits.push_back({values, has_points});
    std::ranges::sort(visits, [](auto &a, auto &b) { return a.values < b.values; });
    return visits;
  }

  void fill(TileLoop &loop, std::size_t number) const {
    const TileRun &tile = tiles_[number];
    if (tile.loop == none) return;
    loop.iterations = iterations_[tile.loop];
    loop.with_points = static_cast<std::int64_t>(tile.values.size());
    auto count = static_cast<double>(std::max<std::int64_t>(1, loop.iterations.with_points));
    for (bool of_workspace : {false, true})
      for (std::size_t k = 0; k < arrays_.size(); ++k)
        if (tile.largest[k] > 0 && workspace_.contains(arrays_[k]) == of_workspace)
          loop.arrays.push_back({arrays_[k], tile.sum[k] / count, tile.largest[k]});
    loop.touched = {"", tile.sum_of_all / count, tile.largest_of_all};
  }

private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  struct TileRun {
    std::size_t loop = none;
    bool active = false;
    std::int64_t value = 0;
    std::uint32_t serial = 0;
    std::vector<std::vector<std::uint32_t>>
        marks;                         // per array and element: the iteration that touched it last
    std::vector<std::int64_t> touched; // per array: elements, in this iteration
    std::vector<double> sum;           // per array: bytes, over the iterations with points
    std::vector<std::int64_t> largest;
    double sum_of_all = 0;
    std::int64_t largest_of_all = 0;
    std::unordered_set<std::int64_t> values; // with points
  };

  static std::size_t index_in(const std::vector<std::string> &names, const std::string &name) {
    auto found = std::ranges::find(names, name);
    return found == names.end() ? none : static_cast<std::size_t>(found - names.begin());
  }

  TileRun *tile_at(std::size_t loop) {
    for (TileRun &tile : tiles_)
      if (tile.loop == loop) return &tile;
    return nullptr;
  }

  /// The iteration had points.
  void keep(TileRun &tile) {
    std::int64_t all = 0;
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      std::int64_t bytes = (tile.touched[k] * bits_.at(arrays_[k]) + 7) / 8;
      tile.sum[k] += static_cast<double>(bytes);
      tile.largest[k] = std::max(tile.largest[k], bytes);
      all += bytes;
    }
    tile.sum_of_all += static_cast<double>(all);
    tile.largest_of_all = std::max(tile.largest_of_all, all);
    tile.values.insert(tile.value);
  }

  /// An iteration of a tile loop ends: that of the innermost one is a tile.
  void see(bool has_points) {
    Tile values;
    for (const TileRun &each : tiles_) {
      if (each.loop != none && !each.active) return; // one that is inside
      values.push_back(each.value);
    }
    seen_[std::move(values)] |= has_points;
    auto tiles = static_cast<std::int64_t>(seen_.size());
    if (tiles * bytes_per_tile > room_)
      report::fail(
          report::Kind::memory_limit,
          fmt::format("more than {} tiles are visited: to tell them apart takes more than the {} left", tiles,
                      data::memory_text(room_)),
          "take larger tiles, or raise the limit with --max-memory");
  }

  static constexpr std::int64_t bytes_per_tile = 160;
  static constexpr std::size_t most_visits = 65536;

  std::vector<std::string> loops_;
  std::vector<Iterations> iterations_;
  std::map<std::string, std::int64_t> bits_; // of an element, per array
  std::set<std::string> workspace_;
  std::int64_t room_;
  std::int64_t most_iterations_, all_iterations_ = 0;
  std::vector<std::string> arrays_;
  std::vector<std::size_t> loop_of_; // per variable of the program
  std::vector<std::int64_t> frames_; // points before, per iteration that is under way
  std::vector<TileRun> tiles_;
  std::unordered_map<Tile, bool, TileHash> seen_; // and whether a point was reached in it
  std::int64_t points_ = 0;
};

/// All arrays' elements, once for the interpreter and once more for the marks of each tile loop.
void check_memory(const loop::Program &program, const std::map<std::string, tensor::Tensor> &tensors,
                  std::size_t tile_loops, std::int64_t max_memory, std::int64_t &room) {
  std::int64_t elements = 0;
  for (const loop::TensorParameter &parameter : program.parameters)
    for (const loop::ArrayParameter &array : parameter.arrays)
      elements += static_cast<std::int64_t>(tensors.at(parameter.name).array(array.name).size());
  std::int64_t needed = elements * (8 + 8 * static_cast<std::int64_t>(tile_loops));
  room = max_memory - needed;
  data::check_memory({}, "counting takes", needed, max_memory);
}

/// Where the kernel has assembled the parameter.
tensor::Tensor tensor_of(const loop::TensorParameter &parameter, const layout::Layout &layout,
                         const loop::Memory &memory) {
  tensor::Tensor made;
  made.layout = layout;
  for (const std::string &name : parameter.sizes)
    made.sizes[name] = memory.sizes.at(parameter.name + "." + name);
  for (const std::string &name : parameter.counts)
    made.counts[name] = memory.sizes.at(parameter.name + "." + name);
  for (const loop::ArrayParameter &array : parameter.arrays) {
    const std::string name = parameter.name + "." + array.name;
    if (array.is_value) {
      const std::vector<double> &values = memory.values.at(name);
      data::Elements elements(data::DType::Float64, values.size());
      std::ranges::copy(values, elements.as<double>().begin());
      made.arrays.emplace(array.name, std::move(elements));
    } else {
      const std::vector<std::int64_t> &indices = memory.indices.at(name);
      data::Elements elements(data::DType::Int64, indices.size());
      std::ranges::copy(indices, elements.as<std::int64_t>().begin());
      made.arrays.emplace(array.name, std::move(elements));
    }
  }
  return made;
}

/// The kernel with a loop for each level: short ones are not unrolled yet.
loop::Program lowered(const pipeline::Compilation &compilation) {
  loop::Program program = compilation.program;
  loop::Program before = lower::lower(compilation.combination, compilation.plans(), {});
  program.workspace = std::move(before.workspace);
  program.body = std::move(before.body);
  return program;
}

bool has_loop(const loop::Program &program, const std::string &variable) {
  bool found = jumps(program, variable);
  loop::each_statement(program.body, [&](const loop::Statement &statement) {
    const auto *loop = std::get_if<loop::For>(&statement.kind);
    found |= loop && loop->variable == variable;
  });
  return found;
}

/// How many tiles there are: those that the bounds on tile variables allow, together.
void count_existing(const pipeline::Compilation &compilation, const std::vector<TileLoop> &tiles,
                    const std::map<std::string, tensor::Tensor> &tensors,
                    const std::map<std::string, std::int64_t> &sizes, TileNest &nest) {
  nest.at_most = tiles.empty() ? 0 : 1;
  std::vector<std::string> names;
  for (const TileLoop &tile : tiles) {
    names.push_back(tile.variable);
    if (__builtin_mul_overflow(nest.at_most, tile.exist, &nest.at_most))
      nest.at_most = std::numeric_limits<std::int64_t>::max();
  }
  const combine::IterationSpace *space = nullptr;
  for (const combine::IterationSpace &leaf : compilation.combination.leaves) {
    std::vector<std::string> all = leaf.variables();
    if (!space &&
        std::ranges::all_of(names, [&](auto &name) { return std::ranges::find(all, name) != all.end(); }))
      space = &leaf;
  }
  if (!space || tiles.empty()) return;
  std::vector<Term> joint;
  for (const Term &constraint : shadow(*space, names))
    if (std::ranges::count_if(names, [&](auto &name) { return term::mentions(constraint, name); }) > 1)
      joint.push_back(constraint);
  if (joint.empty()) {
    nest.exist = nest.at_most;
    return;
  }
  // Skewed ones: each combination of values is tried.
  constexpr std::int64_t budget = 1 << 24;
  if (nest.at_most > budget) return;
  std::map<std::string, std::int64_t> at = sizes;
  const Numbers point(tensors, at);
  std::vector<std::int64_t> low;
  for (const std::string &name : names) {
    low.push_back(term::evaluate(bounds_of(*space, name)->lower, point));
    at[name] = low.back();
  }
  Term condition = term::conjunction(joint);
  nest.exist = 0;
  for (std::int64_t count = 0; count < nest.at_most; ++count) {
    std::int64_t rest = count;
    for (std::size_t k = 0; k < tiles.size(); ++k, rest /= std::max<std::int64_t>(1, tiles[k - 1].exist))
      at[names[k]] = low[k] + rest % tiles[k].exist;
    *nest.exist += term::evaluate(condition, point);
  }
}

/// The plan of a leaf that these data are computed by. (One chosen inside of loops counts as the main one.)
const plan::LeafPlan &executed(const plan::LeafPlan &plan, const Numbers &values, std::string &reason) {
  if (plan.split == 0)
    for (const plan::Alternative &other : plan.alternatives)
      if (term::evaluate(other.condition, values) != 0) {
        reason = other.reason;
        return other.plan;
      }
  return plan;
}

} // namespace

Tiling count_tiling(const pipeline::Compilation &compilation,
                    const std::map<std::string, tensor::Tensor> &tensors, std::int64_t max_memory,
                    const std::map<std::string, std::int64_t> &sizes, std::int64_t most_iterations) {
  Tiling tiling = describe_tiling(compilation);
  TilingCounts counts;
  loop::Program program = lowered(compilation);
  program.preconditions.clear(); // they read elements, which belong to no tile
  std::int64_t room = 0;
  check_memory(program, tensors, tiling.tiles.size(), max_memory, room);
  loop::Memory memory = memory_of(program, tensors, sizes);
  const Numbers values(tensors, sizes);

  tiling.leaves.clear();
  for (std::size_t k = 0; k < compilation.leaves.size(); ++k) {
    std::string reason;
    const plan::LeafPlan &plan = executed(compilation.leaves[k].plan, values, reason);
    tiling.leaves.push_back(describe_leaf(compilation, k, plan));
    tiling.leaves.back().chosen = reason;
  }
  tiling.tiles = tile_loops(compilation, tiling.leaves);

  std::vector<std::string> loops;
  for (const TilingLeaf &leaf : tiling.leaves)
    for (const TilingLevel &level : leaf.levels)
      if (level.kind != scan::Level::Kind::Let && !level.in_map && has_loop(program, level.variable) &&
          std::ranges::find(loops, level.variable) == loops.end())
        loops.push_back(level.variable);
  Counter counter(loops, tiling.tiles, program, room, most_iterations);
  loop::InterpretOptions options;
  options.iteration_budget = std::numeric_limits<std::int64_t>::max();
  options.observer = &counter;
  report::require(loop::interpret(program, memory, options) == 0, "the kernel ends without an error");

  counts.points = counter.points();
  for (const std::string &loop : loops)
    counts.loops.push_back({loop, counter.iterations(loop)});
  for (std::size_t k = 0; k < tiling.tiles.size(); ++k) {
    TileLoop &tile = tiling.tiles[k];
    tile.exist = std::max<std::int64_t>(0, term::evaluate(tile.number, values));
    counter.fill(tile, k);
  }
  count_existing(compilation, tiling.tiles, tensors, sizes, counts.nest);
  counts.nest.with_points = counter.tiles_with_points();
  counts.visits = counter.visits();
  for (const loop::TensorParameter &parameter : program.parameters)
    if (parameter.assembled)
      counts.results.emplace(parameter.name,
                             tensor_of(parameter, compilation.layouts.at(parameter.name), memory));
  if (!tiling.tiles.empty()) counts.nest.entered = tiling.tiles.back().iterations;
  tiling.counts = std::move(counts);
  return tiling;
}

} // namespace unravel::run
