#include "lower/lower.h"

#include "combine/row_major.h"
#include "loop/walk.h"
#include "lower/append.h"
#include "lower/deal.h"
#include "lower/leaf.h"
#include "lower/local.h"
#include "lower/merge.h"
#include "lower/origins.h"
#include "lower/parameter.h"
#include "lower/shared_loops.h"
#include "lower/wavefront.h"
#include "report/diagnostic.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace unravel::lower {

using loop::Block;
using term::Term;

namespace {

/// Reads of index arrays of several extents that lie in the workspace, with one slot.
void join_slots(Block &block, const combine::Combination &combination) {
  std::map<std::string, std::vector<Term>> arrays;
  for (const combine::LocalTensor &local : combination.locals)
    if (local.insertion)
      for (const layout::IndexElement &element : local.insertion->sets)
        if (const auto &extents = combination.arrays.at(element.array); extents.size() > 1)
          arrays.emplace(element.array, extents);
  if (arrays.empty()) return;
  const loop::TermMap join = [&](const Term &term) {
    Term result = term;
    for (const Term &read : term::applications_of(term)) { // inner ones first
      const auto *call = read.as<term::Apply>();
      if (!arrays.contains(call->function) || call->arguments.size() == 1) continue;
      std::vector<Term> slots;
      for (const Term &argument : call->arguments)
        slots.push_back(join(argument));
      result = term::replace(
          result,
          {{read, term::apply(call->function, {combine::row_major(slots, arrays.at(call->function))})}});
    }
    return result;
  };
  loop::rewrite(block, join, [](const loop::Value &value) { return value; });
}

/// A name for the levels that no tensor has.
std::string name_of_levels(const combine::Combination &combination) {
  std::string name = "levels";
  while (std::ranges::any_of(combination.bindings,
                             [&](const combine::Binding &binding) { return binding.tensor == name; }) ||
         contains(combination.sizes, name))
    name += "_";
  return name;
}

/// The number of the loop's iterations.
Term iterations_of(const loop::For &loop, const combine::Combination &combination) {
  const auto *size = loop.upper.as<term::Variable>();
  const std::vector<std::string> &given = combination.sizes; // of any sign; a tensor's isn't negative
  if (loop.lower == Term(0) && size && !contains(given, size->name)) return loop.upper;
  return term::maximum({Term(0), loop.upper - loop.lower});
}

bool is_in(const std::optional<Wavefronts> &wavefronts, std::size_t leaf) {
  return wavefronts && wavefronts->first <= leaf && leaf < wavefronts->last;
}

std::vector<scan::Node> tree_of(const combine::Combination &combination,
                                const std::vector<const LeafPlan *> &plans,
                                const std::optional<Wavefronts> &wavefronts,
                                const std::function<bool(std::size_t)> &is_wanted) {
  std::vector<scan::Nested> statements;
  for (std::size_t k = 0; k < plans.size(); ++k)
    if (is_wanted(k))
      statements.push_back({k, &combination.leaves[k], &plans[k]->nest,
                            is_in(wavefronts, k) ? 1 : combination.loops_of_rounds(combination.leaves[k]),
                            plans[k]->joins});
  return scan::nest_tree(statements);
}

/// Does one of the loops around the local run in parallel, as the statement's own?
bool is_parallel_around(const combine::LocalTensor &local, const LeafPlan &plan) {
  return plan.parallel && (plan.shared == 0 || *plan.parallel < local.around);
}

bool is_merged(const combine::LocalTensor &local, const std::vector<const LeafPlan *> &plans) {
  return std::ranges::any_of(
      plans, [&](const LeafPlan *plan) { return plan->merged && plan->merged->local == local.tensor; });
}

bool is_dealt(const combine::AssembledResult &result, const combine::Combination &combination,
              const std::vector<const LeafPlan *> &plans) {
  for (std::size_t k = 0; k < plans.size(); ++k)
    if (plans[k]->is_dealt && combination.leaves[k].target.tensor == result.tensor) return true;
  return false;
}

/// `drop zeros`: where entries aren't dropped as they come, as others may be added to them.
Block dropped_behind(const combine::AssembledResult &result, const combine::Combination &combination,
                     const std::vector<const LeafPlan *> &plans, const Workspace &workspace) {
  const std::optional<double> dropped = workspace.dropped_of(result.tensor);
  if (!dropped || is_dealt(result, combination, plans)) return {};
  for (std::size_t k = 0; k < plans.size(); ++k)
    if (combination.leaves[k].target.tensor == result.tensor && !has_whole_values(result, *plans[k]))
      return drop_entries(result, *dropped, combination.arrays);
  return {};
}

Block statements_of(const combine::Combination &combination, const std::vector<const LeafPlan *> &plans,
                    const LowerOptions &options, Workspace &workspace, const Replace &in_wavefronts) {
  std::vector<const combine::Clear *> own; // by the leaf: the one that it does itself, or null
  for (std::size_t k = 0; k < plans.size(); ++k)
    own.push_back(combination.clear_of(k));
  auto clears_before = [&](std::size_t leaf) {
    Block block;
    for (const combine::Clear &each : combination.clears)
      if (each.before == leaf && !contains(own, &each))
        block.push_back(clear(each.array, each.number, combination));
    return block;
  };
  const std::vector<scan::Node> tree =
      tree_of(combination, plans, options.wavefronts, [](std::size_t) { return true; });
  for (const combine::LocalTensor &local : combination.locals) {
    if (is_merged(local, plans)) continue; // a scalar stands for it
    bool per_thread = false;
    for (std::size_t k = 0; k < plans.size() && !per_thread; ++k) {
      const combine::IterationSpace &leaf = combination.leaves[k];
      per_thread = (leaf.target.tensor == local.tensor || leaf.reads(local.tensor)) && local.around > 0 &&
                   (is_in(options.wavefronts, k) || is_parallel_around(local, *plans[k]) ||
                    (plans[k]->shared_parallel && *plans[k]->shared_parallel < local.around));
    }
    workspace.add_local(local, per_thread);
  }
  std::map<std::string, LocalCode> locals = local_codes(workspace);
  std::erase_if(locals, [&](const auto &each) { return is_merged(*combination.local(each.first), plans); });
  LoweredStatements statements;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const Clearing clearing(combination, k);
    SharedLoops shared = loops_around(tree, k, *plans[k]);
    shared.in_wavefronts = is_in(options.wavefronts, k);
    const combine::IterationSpace &space = combination.leaves[k];
    statements.push_back({k, &space, plans[k], shared,
                          plans[k]->merged     ? lower_merged(space, *plans[k], k, shared, workspace)
                          : plans[k]->is_dealt ? lower_dealt(space, *plans[k], k, shared, workspace)
                                               : lower_leaf(space, *plans[k], k, shared,
                                                            own[k] ? &clearing : nullptr, workspace),
                          clears_before(k)});
    if (const combine::Operand &target = combination.leaves[k].target; target.first_node)
      statements.back().appended = appended_to(*combination.assembly(target.tensor));
  }
  Block block;
  for (const combine::AssembledResult &result : combination.assembled)
    loop::append(block, begin_assembly(result, is_dealt(result, combination, plans)));
  loop::append(block, in_shared_loops(
                          tree, std::move(statements), std::move(locals), combination.rounds,
                          [&](std::size_t leaf) { return is_in(options.wavefronts, leaf); }, in_wavefronts));
  for (const combine::AssembledResult &result : combination.assembled) {
    loop::append(block, dropped_behind(result, combination, plans, workspace));
    loop::append(block, end_assembly(result));
  }
  loop::append(block, clears_before(plans.size()));
  join_slots(block, combination);
  return block;
}

std::vector<loop::TensorParameter> parameters_of(const combine::Combination &combination,
                                                 const LowerOptions &options) {
  std::vector<loop::TensorParameter> parameters;
  for (const combine::Binding &binding : combination.bindings)
    parameters.push_back(parameter(binding, options));
  return parameters;
}

} // namespace

loop::Program lower(const combine::Combination &combination, const std::vector<const LeafPlan *> &plans,
                    const LowerOptions &options, loop::For *in_wavefronts) {
  report::require(plans.size() == combination.leaves.size(), "one plan per leaf");
  loop::Program program;
  program.name = options.name;
  program.expression = options.expression;
  program.parameters = parameters_of(combination, options);
  program.sizes = combination.sizes;
  for (const combine::SizeCondition &condition : combination.conditions)
    program.preconditions.push_back({condition.formula, condition.message});
  Workspace workspace(combination, program.parameters, options);
  const Replace in_levels = [&](loop::For loop, const loop::Origins &origins) {
    if (in_wavefronts) *in_wavefronts = {loop.variable, loop.lower, loop.upper};
    loop::TensorParameter levels = levels_parameter(name_of_levels(combination), options.name, options.index,
                                                    false, options.wavefronts->packed, program.parameters);
    Term size = term::variable(levels.name + ".M");
    program.preconditions.push_back(
        {term::disjunction({term::equal(size, Term(0)), term::equal(size, iterations_of(loop, combination))}),
         "the levels are of these iterations, or of none"});
    Block block = executor(std::move(loop), origins, levels.name, *options.wavefronts, program.parameters);
    program.parameters.push_back(std::move(levels));
    return block;
  };
  program.body = statements_of(combination, plans, options, workspace, in_levels);
  require_counts(combination, program);
  require_widths(combination, program);
  program.workspace = workspace.take();
  return program;
}

Inspector lower_inspector(const combine::Combination &combination, const std::vector<const LeafPlan *> &plans,
                          const LowerOptions &options, const loop::For &inspected) {
  const Wavefronts &wavefronts = *options.wavefronts;
  const std::vector<loop::TensorParameter> parameters = parameters_of(combination, options);
  Workspace workspace(combination, parameters, options); // it refers to them
  const std::string levels = name_of_levels(combination);
  auto begins = [&](const depend::Visit &visit, std::size_t leaf) { // coordinates are not negative
    const auto *variable = visit.partner.as<term::Variable>();
    const std::vector<std::string> &coordinates = combination.leaves[leaf].coordinates;
    return inspected.lower == Term(0) && variable && contains(coordinates, variable->name);
  };
  auto instances = [&](bool earlier) {
    std::map<std::size_t, Block> visits; // by the leaf
    for (std::size_t k = wavefronts.first; k < wavefronts.last; ++k) {
      Block visit;
      for (const depend::Visit &each : wavefronts.visits)
        if (wavefronts.first + each.statement == k && (earlier ? each.earlier : each.later))
          loop::append(visit, earlier ? wait_for(each.partner, inspected, levels, begins(each, k))
                                      : precede(each.partner, inspected, levels));
      if (!visit.empty()) visits.emplace(k, std::move(visit));
    }
    const std::vector<scan::Node> tree =
        tree_of(combination, plans, wavefronts, [&](std::size_t k) { return visits.contains(k); });
    LoweredStatements statements;
    for (auto &[k, visit] : visits) {
      const SharedLoops shared = loops_around(tree, k, *plans[k]);
      statements.push_back(
          {k,
           &combination.leaves[k],
           plans[k],
           shared,
           visit_leaf(combination.leaves[k], *plans[k], k, shared, std::move(visit), workspace),
           {}});
    }
    auto iteration = [](loop::For loop, const loop::Origins &origins) {
      Term variable = term::variable(loop.variable);
      Term inside =
          term::conjunction({term::at_most(loop.lower, variable), term::less(variable, loop.upper)});
      return Block{{loop::If{std::move(inside), std::move(loop.body), ""}, origins}};
    };
    return in_shared_loops(
        tree, std::move(statements), local_codes(workspace), {}, [](std::size_t) { return true; }, iteration);
  };
  loop::Program program;
  program.name = options.name + "_inspect";
  program.expression =
      fmt::format("levels of the iterations over {} of: {}", inspected.variable, options.expression);
  std::vector<loop::TensorParameter> operands = parameters;
  for (loop::TensorParameter &operand : operands)
    operand.is_result = false;
  program.parameters.push_back(
      levels_parameter(levels, options.name, options.index, true, wavefronts.packed, operands));
  program.body = inspector({inspected, instances(true), instances(false), wavefronts.packed}, levels);
  Term size = iterations_of(inspected, combination);
  report::require(term::applications_of(size).empty(), "the loop's bounds are sizes");
  std::set<std::string> mentioned = loop::names_read(program.body);
  mentioned.merge(term::variables_of(size));
  program.sizes = combination.sizes;
  auto is_known = [&](const std::string &name) {
    if (contains(program.sizes, name)) return true;
    return std::ranges::any_of(program.parameters,
                               [&](const auto &parameter) { return name.starts_with(parameter.name + "."); });
  };
  for (loop::TensorParameter &operand : operands) {
    std::string prefix = operand.name + ".";
    if (std::ranges::any_of(mentioned, [&](const std::string &name) { return name.starts_with(prefix); }))
      program.parameters.push_back(std::move(operand));
  }
  program.preconditions.push_back(
      {term::equal(term::variable(levels + ".M"), size), "the levels are of these iterations"});
  std::vector<Term> numbers{std::move(size)};
  for (std::size_t k = 0; k < wavefronts.packed.size(); ++k) {
    const Term &room = wavefronts.packed[k].room;
    program.preconditions.push_back(
        {term::equal(term::variable(levels + "." + program.parameters.front().counts[k]), room),
         "there is room for these entries"});
    numbers.push_back(room);
  }
  for (const combine::SizeCondition &condition : combination.conditions) {
    std::set<std::string> names = term::variables_of(condition.formula);
    if (std::ranges::all_of(names, is_known))
      program.preconditions.push_back({condition.formula, condition.message});
  }
  program.workspace = workspace.take();
  return {std::move(program), std::move(numbers)};
}

} // namespace unravel::lower
