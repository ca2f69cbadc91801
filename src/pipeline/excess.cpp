#include "pipeline/excess.h"

#include "combine/naming.h"
#include "cost/finds.h"
#include "pipeline/conversions.h"
#include "report/diagnostic.h"
#include "schedule/order.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>

namespace unravel::pipeline {

namespace {

/// So many times more steps than are needed are worth a warning.
constexpr double least_excess = 16;

/// Sizes and counts as they are known.
struct Known : term::Environment {
  const combine::Combination &combination;
  const schedule::Counts &counts;

  Known(const combine::Combination &of, const schedule::Counts &known) : combination(of), counts(known) {}

  bool is_size(const std::string &name) const {
    return std::ranges::any_of(combination.bindings, [&](const combine::Binding &binding) {
      return std::ranges::any_of(binding.layout.sizes, [&](const std::string &size) {
        return combine::qualified(binding.tensor, size) == name;
      });
    });
  }
  std::int64_t variable(const std::string &name) const override {
    if (const auto known = counts.find(name); known != counts.end())
      return static_cast<std::int64_t>(known->second);
    return static_cast<std::int64_t>(is_size(name) ? cost::default_size : cost::default_entries);
  }
  std::int64_t apply(const std::string &, const std::vector<std::int64_t> &) const override { return 1; }

  double product(const std::vector<term::Term> &extents) const {
    double all = 1;
    for (const term::Term &extent : extents)
      all *= static_cast<double>(std::max<std::int64_t>(1, term::evaluate(extent, *this)));
    return all;
  }
};

class Work {
public:
  Work(const Compilation &made, std::size_t leaf, const schedule::Counts &counts)
      : space_(made.combination.leaves[leaf]), plan_(made.leaves[leaf].plan),
        known_(made.combination, counts),
        trips_(schedule::trip_counts(space_, made.leaves[leaf].order, counts)) {}

  double needed() const {
    std::vector<const combine::Operand *> operands;
    for (const combine::Operand &operand : space_.operands)
      operands.push_back(&operand);
    bool looks_for_elements = false;
    for (const combine::Lookup &lookup : space_.lookups) {
      for (const combine::Place &place : lookup.places)
        operands.push_back(&place.operand);
      looks_for_elements = looks_for_elements || !combine::Lookup::is_mask(lookup.wanted);
    }
    double needed = slots_of(space_.target);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      needed += slots_of(*operands[k]);
      for (std::size_t other = 0; other < k; ++other)
        needed += points_of({operands[k], operands[other]});
    }
    const double repeats = repeats_of(operands);
    if (looks_for_elements) return needed * repeats;
    operands.resize(space_.operands.size());
    return (needed + points_of(operands, space_.coordinates)) * repeats;
  }

  /// A level, how many steps are done with it, and the variable of the loop around it.
  struct Excess {
    const scan::Level *level = nullptr;
    double steps = 0;
    std::string around;
  };
  /// The first level with which so many steps or more are done.
  std::optional<Excess> exceeding(double steps) const {
    Excess reached;
    double visits = 1;
    for (std::size_t at = 0; at < plan_.visits(); ++at) {
      const scan::Level &level = plan_.nest.levels[at];
      if (level.is_let()) continue;
      const auto trips = trips_.find(level.variable);
      const double length = trips == trips_.end() ? 1 : std::max(trips->second, cost::hit_rate);
      reached.level = &level;
      if (level.is_loop() || is_scan(at)) reached.steps = visits * length;
      if (reached.steps >= steps) return reached;
      visits *= level.is_loop() ? length : cost::hit_rate;
      if (level.is_loop()) reached.around = level.variable;
    }
    return std::nullopt;
  }

private:
  bool is_scan(std::size_t at) const {
    return std::ranges::any_of(plan_.finds.levels, [&](const plan::LevelPlan &find) {
      return find.level == at && find.method() == plan::Method::Scan;
    });
  }

  /// Rounds, and what a schedule makes of loops: over what no tensor is read at.
  double repeats_of(const std::vector<const combine::Operand *> &operands) const {
    const auto is_read_at = [&](const combine::Operand &operand, const std::string &variable) {
      const std::span own(operand.coordinates.begin() + static_cast<std::ptrdiff_t>(operand.around),
                          operand.coordinates.end());
      return contains(operand.positions, variable) ||
             std::ranges::any_of(own, [&](const term::Term &each) { return term::mentions(each, variable); });
    };
    double repeats = 1;
    for (const scan::Level &level : plan_.nest.levels) {
      const auto trips = trips_.find(level.variable);
      if (level.is_loop() && trips != trips_.end() && !is_read_at(space_.target, level.variable) &&
          std::ranges::none_of(operands, [&](auto *each) { return is_read_at(*each, level.variable); }))
        repeats *= std::max(trips->second, 1.0);
    }
    return repeats;
  }

  /// None where entries are appended, or inserted.
  double slots_of(const combine::Operand &operand) const {
    if (operand.appends || operand.inserts) return 0;
    const auto array = known_.combination.arrays.find(operand.array);
    if (array != known_.combination.arrays.end()) return known_.product(array->second);
    const combine::LocalTensor *local = known_.combination.local(operand.tensor);
    return local ? known_.product(local->extents) : 1;
  }

  double extent_of(const std::string &coordinate) const {
    if (const auto extent = known_.combination.extents.find(coordinate);
        extent != known_.combination.extents.end())
      return known_.product({extent->second});
    const auto trips = trips_.find(coordinate);
    return trips == trips_.end() ? cost::default_size : trips->second;
  }

  /// Points at which all operands have entries, if entries lie anywhere: over the operands' coordinates and
  /// these.
  double points_of(const std::vector<const combine::Operand *> &operands,
                   std::vector<std::string> coordinates = {}) const {
    double points = 1;
    for (const combine::Operand *operand : operands) {
      double elements = 1;
      for (const term::Term &coordinate : operand->coordinates)
        for (const std::string &name : term::variables_of(coordinate)) {
          elements *= extent_of(name);
          if (!contains(coordinates, name)) coordinates.push_back(name);
        }
      points *= std::min(1.0, slots_of(*operand) / elements);
    }
    for (const std::string &coordinate : coordinates)
      points *= extent_of(coordinate);
    return points;
  }

  const combine::IterationSpace &space_;
  const plan::LeafPlan &plan_;
  Known known_;
  std::map<std::string, double> trips_;
};

/// Names for people what a level goes through.
std::string what_of(const scan::Level &level) {
  if (level.tensor.empty()) return fmt::format("all `{}`", level.variable);
  return fmt::format("all positions `{}` of `{}`", level.variable, level.tensor);
}

} // namespace

std::vector<report::Diagnostic> excesses_of(const Compilation &made, const schedule::Counts &counts) {
  std::vector<report::Diagnostic> found;
  for (std::size_t k = 0; k < made.leaves.size(); ++k) {
    const combine::IterationSpace &space = made.combination.leaves[k];
    if (made.leaves[k].plan.parts) continue; // its loops aren't those of the nest
    if (reads_inserted(made.combination, space)) continue;
    const Work work(made, k, counts);
    const double needed = work.needed();
    const auto excess = work.exceeding(least_excess * needed);
    if (!excess) continue;
    found.push_back(
        {report::Kind::excess_steps,
         {},
         fmt::format("{}{} are gone through: some {:.2g} steps, where the tensors have {:.2g} slots and "
                     "pairs that meet",
                     what_of(*excess->level),
                     excess->around.empty() ? "" : fmt::format(" for each `{}`", excess->around),
                     excess->steps, needed),
         fmt::format(
             "see in `explain` which tensor is looked for; another layout of it, or `convert`, may need "
             "fewer{}",
             counts.empty() ? "; sizes aren't known here, they are guessed" : "")});
  }
  return found;
}

} // namespace unravel::pipeline
