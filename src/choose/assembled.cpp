#include "choose/assembled.h"

#include "choose/equal_work.h"
#include "choose/statements.h"
#include "cost/thresholds.h"
#include "layout/example.h"
#include "report/diagnostic.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::choose {

using combine::AssembledResult;
using combine::Combination;
using combine::IterationSpace;
using packing::AppendOrder;
using report::Kind;
using term::Term;

namespace {

std::vector<Term> ascending(const std::vector<AppendOrder> &order, const term::Substitution &by) {
  std::vector<Term> values;
  for (const AppendOrder &step : order) {
    const Term value = term::substitute(step.value, by);
    values.push_back(step.descending ? term::scale(-1, value) : value);
  }
  return values;
}

/// No larger, either way, than what an index array holds.
bool is_element(const Term &key) {
  if (const auto *quotient = key.as<term::FloorDivide>()) return is_element(quotient->numerator);
  return key.as<term::Apply>() || term::scale(-1, key).as<term::Apply>();
}

std::string order_text(const IterationSpace &space, const Combination &combination) {
  const AssembledResult &result = *combination.assembly(space.target.tensor);
  const term::Substitution by = result.entry_of(space.target);
  std::vector<std::string> steps;
  for (const AppendOrder &step : result.append.order)
    steps.push_back(term::to_text(term::substitute(step.value, by)) + (step.descending ? " descending" : ""));
  return fmt::format("{}", fmt::join(steps, ", "));
}

/// Where the layout stores only some coordinates: has the statement no others?
bool have_places(const std::vector<Term> &conditions, const term::Substitution &by,
                 const IterationSpace &space, prove::Prover &prover) {
  return std::ranges::all_of(conditions, [&](const Term &condition) {
    std::vector<Term> hypotheses = term::conjuncts(space.relation);
    hypotheses.push_back(term::negation(term::substitute(condition, by)));
    return prover.refute("entries with a place", space.target.tensor, hypotheses) == prove::Answer::Refuted;
  });
}

/// How many values each key of the loop may have, from 0 on; nothing where that isn't proved of all.
std::vector<Term> extents_of_keys(const plan::SortedLoop &sorted, const scan::Nest &nest,
                                  const Combination &combination, prove::Prover &prover) {
  const scan::Level &loop = nest.levels[sorted.level];
  const prove::Prover::Optional optional(prover, "how many values a list's keys may have");
  std::vector<Term> extents;
  for (const Term &key : sorted.keys) {
    const auto coordinate = std::ranges::find_if(nest.levels, [&](const scan::Level &level) {
      return level.is_let() && level.value == key && combination.extents.contains(level.variable);
    });
    if (coordinate == nest.levels.end()) return {};
    extents.push_back(combination.extents.at(coordinate->variable));
    const Term position = term::variable(loop.variable);
    if (prover.refute("keys in range", loop.tensor,
                      {term::at_most(loop.lower, position), term::less(position, loop.upper),
                       term::negation(term::between(Term(0), key, extents.back()))}) !=
        prove::Answer::Refuted)
      return {};
  }
  return extents;
}

/// May its products be appended one after the other, each an entry of its own? What is added may, and what
/// one statement alone sets: that sets an element once.
bool is_list_of_terms(const IterationSpace &space, const Combination &combination,
                      const compute::Program &program) {
  const std::string &tensor = space.target.tensor;
  const packing::Append &append = combination.assembly(tensor)->append;
  if (append.merges || !append.order.empty()) return false;
  if (space.loops.empty()) return true;
  const bool sets = std::ranges::any_of(program.statements, [&](const compute::Statement &statement) {
    return statement.target.tensor == tensor && !statement.accumulate;
  });
  return space.by == value::Operator::Add &&
         (!sets || std::ranges::all_of(combination.leaves, [&](const IterationSpace &other) {
           return other.target.tensor != tensor || other.place == space.place;
         }));
}

/// Of the plan as it is.
EntryOrder entry_order(const IterationSpace &space, const plan::LeafPlan &plan,
                       const Combination &combination, prove::Prover &prover) {
  const AssembledResult &result = *combination.assembly(space.target.tensor);
  const packing::Append &append = result.append;
  const term::Substitution by = result.entry_of(space.target);
  const depend::Schedule executed = executed_schedule(space, plan);
  EntryOrder found;
  found.have_places = have_places(append.conditions, by, space, prover);
  if (!found.have_places) return found;
  found.may_be_parts = append.merges || space.by == value::Operator::Add ||
                       depend::is_injective(space, executed, space.target.coordinates, prover);
  if (!found.may_be_parts) return found;
  std::vector<Term> values = ascending(append.order, by);
  const bool is_loose = append.loose < values.size();
  const auto increases = [&](std::string *witness) {
    const auto first = values.begin() + (plan.is_dealt ? 1 : 0); // what is dealt by that comes in any order
    return depend::increases(space, executed, {first, values.end()}, prover, witness,
                             {values.begin(), first});
  };
  found.is_kept = increases(&found.witness);
  found.is_distinct = found.is_kept && depend::is_injective(space, executed, values, prover);
  if (found.is_kept || !is_loose) return found;
  values.resize(append.loose);
  if (!increases(nullptr)) return found;
  found.is_kept = found.is_distinct = depend::is_injective(space, executed, space.target.coordinates, prover);
  return found;
}

/// May the entries be dealt?
bool may_deal(const IterationSpace &space, const plan::LeafPlan &plan, const Combination &combination) {
  const std::vector<packing::AppendLevel> &levels = combination.assembly(space.target.tensor)->append.levels;
  const bool has_segments =
      levels.size() == 2 && !levels[0].is_counted() && levels[1].is_counted() && !levels[1].pointer.empty();
  const std::vector<scan::Level> &nest = plan.nest.levels;
  // Both visits stand in one block: what they declare there would meet.
  return has_segments && plan.shared == 0 && !nest.empty() && nest.front().is_loop() &&
         plan.finds.levels.empty() && plan.alternatives.empty() && !plan.parts && plan.searches.empty() &&
         !plan.sums_at;
}

/// Does a find inside of the level's loop go on, in one of its iterations, from where it was in another? Then
/// it needs them in their own order.
bool needs_order_of(const plan::LeafPlan &plan, std::size_t level) {
  return std::ranges::any_of(plan.finds.levels, [&](const plan::LevelPlan &find) {
    const plan::Walk *walk = find.walk();
    return walk && find.level > level && walk->state_level <= level &&
           !contains(walk->state, plan.nest.levels[level].variable);
  });
}

/// Loops whose sorting may bring the entries into order, the innermost first.
std::vector<plan::SortedLoop> sorts_for_entries(const IterationSpace &space, const plan::LeafPlan &plan,
                                                const Combination &combination) {
  const AssembledResult &result = *combination.assembly(space.target.tensor);
  std::vector<Term> values = ascending(result.append.order, result.entry_of(space.target));
  if (plan.is_dealt) values.erase(values.begin());
  std::vector<plan::SortedLoop> sorts;
  for (std::size_t k = plan.visits(); k-- > plan.shared;) {
    const scan::Level &level = plan.nest.levels[k];
    if (level.is_let()) {
      values = term::substitute(values, {{level.variable, level.value}});
      continue;
    }
    plan::SortedLoop sorted{k, {}, {}};
    for (const Term &value : values)
      if (term::mentions(value, level.variable)) sorted.keys.push_back(value);
    if (level.is_loop() && !sorted.keys.empty() && std::ranges::all_of(sorted.keys, is_element) &&
        !needs_order_of(plan, k))
      sorts.push_back(std::move(sorted));
    // what comes behind it in the order, this loop's own order must do
    values.erase(std::ranges::find_if(
                     values, [&](const Term &value) { return term::mentions(value, level.variable); }),
                 values.end());
  }
  return sorts;
}

} // namespace

void check_assembled(const Combination &combination, const compute::Program &program) {
  for (const IterationSpace &space : combination.leaves) {
    for (const combine::AssembledResult &result : combination.assembled)
      if (const std::string &tensor = result.tensor; space.reads(tensor))
        report::fail(Kind::sparse_result, space.span,
                     fmt::format("`{}` is read before all of its entries are made: it is not dense, so it "
                                 "begins without entries",
                                 tensor),
                     fmt::format("read old values as an operand of another name, keep new ones in a local "
                                 "tensor, or leave out -f {}=...",
                                 tensor));
    if (space.target.appends && combination.loops_of_rounds(space) > 0)
      report::fail(Kind::sparse_result, space.span,
                   fmt::format("`{}` is not dense, so its entries can't be set again in each round",
                               space.target.tensor),
                   fmt::format("leave out -f {0}=..., or compute {0} after the rounds", space.target.tensor));
  }
  if (const IterationSpace *space = appended_again(combination, program))
    report::fail(Kind::sparse_result, space->span,
                 fmt::format("several products are added to `{}`, which is not dense", space->target.tensor),
                 "add them up in a local tensor: `let w(j) = 0;`");
}

const IterationSpace *appended_again(const Combination &combination, const compute::Program &program) {
  std::set<std::string> written;
  for (const IterationSpace &space : combination.leaves)
    if (space.target.appends && !written.insert(space.target.tensor).second &&
        !is_list_of_terms(space, combination, program))
      return &space;
  return nullptr;
}

EntryOrder order_entries(const IterationSpace &space, plan::LeafPlan &plan, const Combination &combination,
                         prove::Prover &prover) {
  const auto of_plan = [&] { return entry_order(space, plan, combination, prover); };
  const auto sorted = [&](bool is_outermost, bool is_dealt) {
    plan.is_dealt = is_dealt;
    EntryOrder now;
    for (plan::SortedLoop &each : sorts_for_entries(space, plan, combination)) {
      if ((each.level == 0) != is_outermost) continue;
      plan.sorted = std::move(each);
      if (now = of_plan(); !now.is_kept) continue;
      if (is_outermost) plan.sorted->extents = extents_of_keys(*plan.sorted, plan.nest, combination, prover);
      return now;
    }
    plan.sorted.reset(), plan.is_dealt = false;
    return now;
  };
  const EntryOrder found = of_plan();
  if (found.is_kept || !found.have_places || !found.may_be_parts) return found;
  const bool may_be_dealt = may_deal(space, plan, combination);
  if (may_be_dealt) {
    plan.is_dealt = true;
    if (EntryOrder now = of_plan(); now.is_kept) return now;
  }
  // Short loops are sorted inside of others; of the outermost one as few keys as are needed.
  if (EntryOrder now = sorted(false, false); now.is_kept) return now;
  if (may_be_dealt)
    if (EntryOrder now = sorted(true, true); now.is_kept) return now;
  if (EntryOrder now = sorted(true, false); now.is_kept) return now;
  return found;
}

std::optional<plan::ThreadParts> parts_for_threads(const IterationSpace &space, const plan::LeafPlan &plan,
                                                   const Combination &combination, std::int64_t least,
                                                   prove::Prover &prover) {
  const bool is_merged = combination.assembly(space.target.tensor)->append.merges && !plan.is_distinct;
  if (!plan.is_dealt || plan.sorted || is_merged) return std::nullopt;
  WorkBefore found = positions_before(plan, 0, prover);
  if (!found.equal || !found.equal->when_empty)
    found.equal = plan::EqualWork{term::variable(plan.nest.levels[0].variable), true};
  return plan::ThreadParts{std::move(*found.equal), least};
}

std::vector<std::vector<std::string>> orders_for_entries(const IterationSpace &space,
                                                         const Combination &combination) {
  const AssembledResult &result = *combination.assembly(space.target.tensor);
  const term::Substitution by = result.entry_of(space.target);
  std::vector<std::vector<std::string>> orders;
  std::vector<std::string> first;
  for (const AppendOrder &step : result.append.order) {
    const Term value = term::substitute(step.value, by);
    const std::set<std::string> names = term::variables_of(value);
    for (const std::string &coordinate : space.coordinates)
      if (names.contains(coordinate) && !contains(first, coordinate)) first.push_back(coordinate);
    if (orders.empty() || orders.back() != first) orders.push_back(first);
  }
  return orders;
}

std::string text_of_disorder(const IterationSpace &space, const Combination &combination) {
  return fmt::format(
      "`{}` doesn't make the entries of {} in the order of its layout, by {}, as far as is proved",
      space.span.text(), space.target.tensor, order_text(space, combination));
}

void fail_entry_order(const IterationSpace &space, const Combination &combination, const EntryOrder &found) {
  const AssembledResult &result = *combination.assembly(space.target.tensor);
  if (!found.have_places) fail_without_place(space);
  if (!found.may_be_parts)
    report::fail(
        Kind::entries_out_of_order, space.span,
        fmt::format("`{}` may make several entries of one coordinate, which add up in the layout of {}",
                    space.span.text(), result.tensor),
        fmt::format("choose a layout that has each once, as -f {}={}", result.tensor,
                    layout::example_of_entries(space.target.coordinates.size())));
  const std::string order = order_text(space, combination);
  report::fail(Kind::entries_out_of_order, space.span, text_of_disorder(space, combination),
               found.witness.empty()
                   ? fmt::format("put the loops over {} first, or keep the values in a local tensor", order)
                   : "two entries that would change places: " + found.witness);
}

std::string to_text(const EntryOrder &order, const IterationSpace &space, const Combination &combination) {
  return fmt::format("{}: {} by {}{}\n", space.target.tensor, order.is_kept ? "in order" : "not in order",
                     order_text(space, combination), order.is_distinct ? ", each coordinate once" : "");
}

namespace {

/// Lists have a map with an element for each coordinate: of matrices that would be too many.
constexpr std::size_t most_modes = 1;
const char *const list_layout = "listed";
/// Of so many coordinates a row's entries lie too far apart for caches: a hash table finds them sooner.
/// Measured: docs/choice.md.
constexpr double least_hashed = 1 << 23;
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

/// Does the index have at least so many values, as the data say?
bool has_values(double least, const std::string &index, const Combination &combination,
                const schedule::Counts &counts) {
  const auto extent = combination.extents.find(index);
  const auto *size = extent == combination.extents.end() ? nullptr : extent->second.as<term::Variable>();
  const auto known = size ? counts.find(size->name) : counts.end();
  return known != counts.end() && known->second >= least;
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
                                                     const schedule::Counts &counts, std::size_t most_loops) {
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
  for (std::size_t around = std::min({ordered.size(), modes.size() - 1, most_loops}) + 1; around-- > 0;) {
    compute::ResultLocal local{compute::fresh_tensor(line, "w"), ordered, modes, list_layout};
    local.around.resize(around);
    std::erase_if(local.modes, [&](const std::string &mode) { return contains(local.around, mode); });
    // Where its own entries must be in order: those of a list would have to be sorted.
    if (around < std::min(ordered.size(), loose)) local.layout = "bitmap";
    if (local.modes.size() > most_modes) break;
    // What is emptied once may be as long as memory has room for.
    const double least = around > 0 ? least_hashed : static_cast<double>(cost::longest_map);
    if (has_values(least, local.modes.front(), combination, counts)) {
      local.layout = "hashed";
      local.why = fmt::format("; a hash table finds them, as `{}` has so many values", local.modes.front());
    }
    if (std::ranges::none_of(leaves, [&](const IterationSpace &each) {
          return costs_too_much(bounded(each, combination), local.around, counts);
        }))
      return local;
  }
  // A list adds up what it has twice.
  const char *layout = space.by == value::Operator::Add ? "coo_dup" : "hashed";
  return compute::ResultLocal{compute::fresh_tensor(line, "w"), {}, modes, layout};
}

} // namespace unravel::choose
