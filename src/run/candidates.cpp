#include "run/tune.h"

#include "combine/structure.h"
#include "machine/data_caches.h"

#include <fmt/format.h>
#include <set>

namespace unravel::run {

namespace {

constexpr std::int64_t most_constant = 64; // of an extent that C compilers are told
constexpr std::int64_t least_tile = 256;   // values of an index; fewer cost more than they save
constexpr std::size_t word = 8;

/// Calls visit(index, tensor, mode) for each subscript of a tensor that has data.
template <class Visit> void each_subscript(const Report &report, Visit visit) {
  for (const compute::Statement &statement : report.compilation.computation.program.statements)
    compute::each_access(statement, [&](const compute::Access &access) {
      if (!report.shapes.contains(access.tensor)) return;
      for (std::size_t mode = 0; mode < access.subscripts.size(); ++mode)
        if (!access.subscripts[mode].index.empty()) visit(access.subscripts[mode].index, access.tensor, mode);
    });
}

bool is_dense(const Report &report, const std::string &tensor) {
  const auto layout = report.compilation.layouts.find(tensor);
  return layout != report.compilation.layouts.end() && combine::has_slot_of_each(layout->second);
}

/// `bound r = 16; bound s = 8`, of the indices that no sparse tensor has.
void add_bounds(const Report &report, std::vector<std::string> &made) {
  std::map<std::string, std::int64_t> extents;
  std::set<std::string> sparse;
  each_subscript(report, [&](const std::string &index, const std::string &tensor, std::size_t mode) {
    extents[index] = report.shapes.at(tensor)[mode];
    if (!is_dense(report, tensor)) sparse.insert(index);
  });
  std::string bounds;
  for (const auto &[index, extent] : extents)
    if (!sparse.contains(index) && extent > 1 && extent <= most_constant)
      bounds += fmt::format("{}bound {} = {}", bounds.empty() ? "" : "; ", index, extent);
  if (!bounds.empty()) made.push_back(bounds);
}

/// Of an index that a sparse tensor has, where the rows of a dense one that it leads to don't fit in the
/// caches.
void add_tiles(const Report &report, std::vector<std::string> &made) {
  const std::vector<machine::DataCache> caches = machine::data_caches();
  if (caches.empty()) return;
  std::set<std::string> sparse, tiled;
  each_subscript(report, [&](const std::string &index, const std::string &tensor, std::size_t) {
    if (!is_dense(report, tensor)) sparse.insert(index);
  });
  each_subscript(report, [&](const std::string &index, const std::string &tensor, std::size_t mode) {
    const std::vector<std::int64_t> &shape = report.shapes.at(tensor);
    if (mode != 0 || shape.size() < 2 || !is_dense(report, tensor) || !sparse.contains(index)) return;
    double row = word;
    for (std::size_t other = 1; other < shape.size(); ++other)
      row *= static_cast<double>(shape[other]);
    const double room = static_cast<double>(caches.back().bytes) / 2;
    if (row <= 0 || row * static_cast<double>(shape[0]) < 4 * room) return;
    std::int64_t tile = least_tile;
    while (static_cast<double>(2 * tile) * row <= room)
      tile *= 2;
    if (tile < shape[0] && tiled.insert(index).second)
      made.push_back(fmt::format("tile {} by {}", index, tile));
  });
}

/// As schedules name it.
std::string word_of(plan::Method method) {
  if (method == plan::Method::Sequential) return "seq";
  return method == plan::Method::Galloping ? "gallop" : plan::name_of(method);
}

void add_finds(const Report &report, std::vector<std::string> &made) {
  std::set<std::string> seen;
  for (const pipeline::Leaf &leaf : report.compilation.leaves)
    for (const plan::LevelPlan &find : leaf.plan.finds.levels) {
      const std::string &variable = leaf.plan.nest.levels[find.level].variable;
      if (!seen.insert(variable).second) continue;
      for (const plan::Candidate &candidate : find.candidates)
        if (candidate.method != find.method() && candidate.method != plan::Method::Scan &&
            (candidate.proved || !candidate.tried))
          made.push_back(fmt::format("find {} by {}", variable, word_of(candidate.method)));
    }
}

/// The parallel loop in pieces of equal work, where all statements have the same one.
void add_balanced(const Report &report, std::vector<std::string> &made) {
  std::set<std::string> variables;
  for (const pipeline::Leaf &leaf : report.compilation.leaves)
    if (leaf.parallel) variables.insert(leaf.plan.nest.levels[*leaf.parallel].variable);
  if (variables.size() == 1) made.push_back(fmt::format("parallel {} balanced", *variables.begin()));
}

} // namespace

std::vector<std::string> candidates(const Report &report) {
  std::vector<std::string> made;
  add_bounds(report, made);
  add_finds(report, made);
  add_tiles(report, made);
  add_balanced(report, made);
  made.emplace_back("blas"); // refused where there is none
  return made;
}

} // namespace unravel::run
