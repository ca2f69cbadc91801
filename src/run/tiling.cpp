// A tiling as the compiler knows it: levels, tile loops, how many values these have.
#include "run/tiling.h"

#include "loop/walk.h"
#include "report/diagnostic.h"
#include "space/set.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::run {

using scan::Level;
using term::Term;

namespace {

std::string run_of(const pipeline::Leaf &leaf, const plan::LeafPlan &plan, std::size_t index) {
  const Level &level = plan.nest.levels[index];
  if (level.kind != Level::Kind::Loop) return "";
  if (plan.parallel == index) return "parallel";
  for (const depend::LoopVerdict &verdict : leaf.verdicts)
    if (verdict.variable == level.variable && verdict.verdict == depend::Verdict::Reduction)
      return "reduction";
  return "serial";
}

std::string found_by(const plan::LevelPlan &find) {
  std::string text = plan::name_of(find.method());
  const plan::Walk *walk = find.walk();
  if (!walk) return text;
  if (walk->in_step) return text + ", in step with a loop";
  return text + (walk->state_index.empty()
                     ? ", one state"
                     : fmt::format(", a state per {{{}}}", fmt::join(walk->state, ", ")));
}

/// v.tile = floor(v / 64), or null.
const combine::AddedVariable *tile_of(const combine::IterationSpace &space, const std::string &variable) {
  for (const combine::AddedVariable &added : space.added)
    if (added.name == variable && added.tile > 0) return &added;
  return nullptr;
}

/// What the constraints say of the variable with sizes alone: lower and upper bounds, inclusive.
void bounds(const std::vector<Term> &constraints, const std::string &variable, std::vector<Term> &lower,
            std::vector<Term> &upper) {
  for (const Term &constraint : constraints) {
    const auto *compare = constraint.as<term::Compare>();
    if (!compare) continue;
    std::int64_t factor = term::coefficient_of(compare->left, variable);
    Term rest = compare->left - term::scale(factor, term::variable(variable));
    if (factor == 0 || term::mentions(rest, variable)) continue;
    bool is_equal = compare->relation == term::Relation::Equal;
    std::int64_t size = factor < 0 ? -factor : factor;
    Term at = factor < 0 ? rest : -rest; // factor*v + rest >= 0: v >= -rest/factor, or v <= rest/size
    if (factor > 0 || is_equal) lower.push_back(term::ceil_divide(at, size));
    if (factor < 0 || is_equal) upper.push_back(term::floor_divide(at, size));
  }
}

} // namespace

bool jumps(const loop::Program &program, const std::string &variable) {
  bool found = false;
  loop::each_statement(program.body, [&](const loop::Statement &statement) {
    const auto *loop = std::get_if<loop::While>(&statement.kind);
    if (!loop || loop->body.empty()) return;
    const auto *let = std::get_if<loop::Let>(&loop->body.front().kind);
    found |= let && let->variable == variable;
  });
  return found;
}

std::vector<Term> shadow(const combine::IterationSpace &space, const std::vector<std::string> &kept) {
  std::vector<std::string> all = space.variables();
  auto is_other = [&](const Term &atom) {
    const auto *plain = atom.as<term::Variable>();
    if (!plain) return true;
    auto among = [&](const std::vector<std::string> &names) {
      return std::ranges::find(names, plain->name) != names.end();
    };
    return among(all) && !among(kept);
  };
  return space::Set(space.relation).project(is_other).simple_hull().constraints();
}

std::optional<Bounds> bounds_of(const combine::IterationSpace &space, const std::string &variable) {
  std::vector<Term> lower, upper;
  bounds(shadow(space, {variable}), variable, lower, upper);
  if (lower.empty() || upper.empty()) return std::nullopt;
  return Bounds{term::maximum(lower), term::minimum(upper)};
}

TilingLeaf describe_leaf(const pipeline::Compilation &compilation, std::size_t index,
                         const plan::LeafPlan &plan) {
  const combine::IterationSpace &space = compilation.combination.leaves[index];
  TilingLeaf leaf{combine::to_text(space), "", {}};
  for (std::size_t k = 0; k < plan.nest.levels.size(); ++k) {
    const Level &level = plan.nest.levels[k];
    TilingLevel made;
    made.kind = level.kind;
    made.variable = level.variable;
    made.text = scan::to_text(level);
    for (const Term &guard : level.guards)
      made.guards.push_back(term::to_text(guard));
    made.run = run_of(compilation.leaves[index], plan, k);
    if (const plan::LevelPlan *find = plan.finds.at(k)) {
      made.found_by = found_by(*find);
      made.in_map = find->filled_map() != nullptr;
    }
    if (const combine::AddedVariable *tile = tile_of(space, level.variable)) {
      made.tile_of = tile->of;
      made.tile_size = tile->tile;
      if (jumps(compilation.program, level.variable)) made.run += ", only where there are entries";
    }
    leaf.levels.push_back(std::move(made));
  }
  return leaf;
}

std::vector<TileLoop> tile_loops(const pipeline::Compilation &compilation,
                                 const std::vector<TilingLeaf> &leaves) {
  std::vector<TileLoop> tiles;
  for (std::size_t k = 0; k < leaves.size(); ++k)
    for (const TilingLevel &level : leaves[k].levels) {
      if (level.tile_of.empty() || level.kind == Level::Kind::Let ||
          std::ranges::any_of(tiles, [&](auto &each) { return each.variable == level.variable; }))
        continue;
      // An iteration space that is known to be empty has none.
      const std::optional<Bounds> range = bounds_of(compilation.combination.leaves[k], level.variable);
      TileLoop loop;
      loop.variable = level.variable;
      loop.of = level.tile_of;
      loop.size = level.tile_size;
      loop.number = range ? range->upper - range->lower + Term(1) : Term(0);
      tiles.push_back(std::move(loop));
    }
  return tiles;
}

void require_transformation(const pipeline::Compilation &compilation) {
  const auto &leaves = compilation.combination.leaves;
  if (leaves.empty() || std::ranges::any_of(leaves, [](auto &leaf) { return !leaf.added.empty(); })) return;
  report::fail(report::Kind::bad_transformation, "the schedule makes no tiles",
               "add a tiling, as in -s 'tile j by 64', or -s 'split A.p by 256' (docs/schedules.md)");
}

std::vector<TilingLeaf> describe_leaves(const pipeline::Compilation &compilation) {
  std::vector<TilingLeaf> leaves;
  for (std::size_t k = 0; k < compilation.leaves.size(); ++k)
    leaves.push_back(describe_leaf(compilation, k, compilation.leaves[k].plan));
  return leaves;
}

Tiling describe_tiling(const pipeline::Compilation &compilation) {
  require_transformation(compilation);
  Tiling tiling;
  tiling.expression = compilation.computation.text;
  tiling.leaves = describe_leaves(compilation);
  tiling.tiles = tile_loops(compilation, tiling.leaves);
  tiling.caches = machine::data_caches();
  return tiling;
}

const machine::DataCache *holds(const std::vector<machine::DataCache> &caches, double bytes) {
  for (const machine::DataCache &cache : caches)
    if (bytes <= static_cast<double>(cache.bytes)) return &cache;
  return nullptr;
}

} // namespace unravel::run
