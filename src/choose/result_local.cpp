#include "choose/result_local.h"

#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::choose {

using combine::AssembledResult;
using combine::Combination;
using combine::IterationSpace;

namespace {

/// Lists have a map with an element for each coordinate: of matrices that would be too many.
constexpr std::size_t most_modes = 1;
const char *const list_layout = "listed";
/// Of so many coordinates a row's entries lie too far apart for caches: a hash table finds them sooner.
/// Measured: docs/choice.md.
constexpr double least_hashed = 1 << 23;
/// How much more loops in the result's order may cost than in the order of least cost. Costs are estimates, a
/// local saves a sort of all entries, and an order against the operands costs as much more as they have rows.
constexpr double most_overhead = 16;

/// The index variables by which the layout orders its entries, as far as these alone do.
std::vector<std::string> ordered_indices(const AssembledResult &result, const IterationSpace &space) {
  const term::Substitution by = result.entry_of(space.target);
  std::vector<std::string> indices;
  for (const packing::AppendOrder &step : result.append.order) {
    const term::Term value = term::substitute(step.value, by);
    const auto *index = value.as<term::Variable>();
    if (!index || step.descending) break;
    indices.push_back(index->name);
  }
  return indices;
}

/// With bounds for the index variables, which the loops of a program have.
IterationSpace bounded(IterationSpace space, const Combination &combination) {
  std::vector<term::Term> parts{space.relation};
  for (const std::string &index : space.coordinates)
    if (const auto extent = combination.extents.find(index); extent != combination.extents.end())
      parts.push_back(term::between(term::Term(0), term::variable(index), extent->second));
  space.relation = term::conjunction(std::move(parts));
  return space;
}

/// Does the index have so many values, as the data say?
bool is_wide(const std::string &index, const Combination &combination, const schedule::Counts &counts) {
  const auto extent = combination.extents.find(index);
  const auto *size = extent == combination.extents.end() ? nullptr : extent->second.as<term::Variable>();
  const auto known = size ? counts.find(size->name) : counts.end();
  return known != counts.end() && known->second >= least_hashed;
}

bool costs_too_much(const IterationSpace &space, const std::vector<std::string> &outermost,
                    const schedule::Counts &counts) {
  std::vector<parse::Name> first;
  for (const std::string &index : outermost)
    first.push_back({index, {}});
  const auto cost = [&](const std::vector<parse::Name> &given) {
    return schedule::cost_of(space, schedule::plan_order(space, counts, {}, {}, given), counts);
  };
  return cost(first) > most_overhead * cost({});
}

} // namespace

bool adds_several_products(const Combination &combination) {
  return combination.leaves.size() > 1 &&
         std::ranges::all_of(combination.leaves, [](auto &space) { return space.target.appends; });
}

std::optional<compute::ResultLocal> local_to_merge(compute::ResultLocal local) {
  if (local.layout == list_layout || local.modes.size() != 1) return std::nullopt;
  local.layout = list_layout;
  local.why.clear();
  return local;
}

std::optional<compute::ResultLocal> masked_local(compute::ResultLocal local, const compute::Computation &line,
                                                 value::Type type) {
  if (local.modes.size() != 1 || local.around.empty() || !value::is_floating(type) ||
      !compute::may_mask_local(line.program, local))
    return std::nullopt;
  local.layout = "dense";
  local.why.clear();
  local.is_masked = true;
  return local;
}

std::optional<compute::ResultLocal> local_for_result(const Combination &combination,
                                                     const compute::Computation &line,
                                                     const schedule::Counts &counts) {
  const std::vector<IterationSpace> &leaves = combination.leaves;
  if (leaves.empty() || !leaves.front().target.appends || !compute::may_have_result_local(line.program))
    return std::nullopt;
  const IterationSpace &space = leaves.front();
  const AssembledResult &result = *combination.assembly(space.target.tensor);
  const std::vector<std::string> ordered = ordered_indices(result, space);
  const std::size_t loose = result.append.loose; // what comes behind that many need not be in order
  std::vector<std::string> modes;
  for (const term::Term &coordinate : space.target.coordinates)
    modes.push_back(coordinate.as<term::Variable>()->name);
  std::optional<compute::ResultLocal> costly; // better than none
  for (std::size_t around = std::min(ordered.size(), modes.size() - 1) + 1; around-- > 0;) {
    compute::ResultLocal local{compute::fresh_tensor(line, "w"), ordered, modes, list_layout};
    local.around.resize(around);
    std::erase_if(local.modes, [&](const std::string &mode) { return contains(local.around, mode); });
    // Where its own entries must be in order: those of a list would have to be sorted.
    if (around < std::min(ordered.size(), loose)) local.layout = "bitmap";
    if (local.modes.size() > most_modes) break;
    if (around > 0 && is_wide(local.modes.front(), combination, counts)) {
      local.layout = "hashed";
      local.why = fmt::format("; a hash table finds them, as `{}` has so many values", local.modes.front());
    }
    if (std::ranges::none_of(leaves, [&](const IterationSpace &each) {
          return costs_too_much(bounded(each, combination), local.around, counts);
        }))
      return local;
    if (!costly) costly = std::move(local);
  }
  if (space.by != value::Operator::Add) return costly; // what a list has twice is added up
  return compute::ResultLocal{compute::fresh_tensor(line, "w"), {}, modes, "coo_dup"};
}

} // namespace unravel::choose
