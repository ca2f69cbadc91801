#include "pipeline/loops.h"

#include "choose/loop_requests.h"
#include "choose/parallel.h"
#include "loop/arrays.h"
#include "loop/blas.h"
#include "loop/verify.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace unravel::pipeline {

namespace {

bool knows(const scan::Nest &nest, const std::string &variable) {
  return std::any_of(nest.levels.begin(), nest.levels.end(),
                     [&](const scan::Level &level) { return level.variable == variable; });
}

bool is_safe_in(const scan::Nest &nest, const term::Term &load) {
  const std::set<std::string> variables = term::variables_of(load);
  return nest.safe_loads.contains(load) ||
         !std::all_of(variables.begin(), variables.end(), [&](auto &name) { return knows(nest, name); });
}

/// With the verdicts on loops over what is found.
std::vector<depend::LoopVerdict> with_ranges(std::vector<depend::LoopVerdict> verdicts,
                                             const std::vector<std::string> &ranges,
                                             const combine::IterationSpace &space,
                                             const schedule::Order &order, prove::Prover &prover,
                                             bool details) {
  if (ranges.empty()) return verdicts;
  const std::vector<depend::LoopVerdict> more =
      depend::classify(space.relation, order, ranges, depend::references(space), prover, details);
  verdicts.insert(verdicts.end(), more.begin(), more.end());
  return verdicts;
}

} // namespace

Loops::Loops(const Input &input) : in_(input) {
  if (in_.leaves.empty()) return;
  safe_ = in_.leaves.front().plan.nest.safe_loads;
  for (const Leaf &leaf : in_.leaves)
    std::erase_if(safe_, [&](const term::Term &load) { return !leaf.plan.nest.safe_loads.contains(load); });
  for (const Leaf &leaf : in_.leaves)
    if (leaf.verdicts_of_untiled)
      for (const plan::Alternative &untiled : leaf.plan.alternatives)
        std::erase_if(safe_, [&](const term::Term &load) { return !is_safe_in(untiled.plan.nest, load); });
}

loop::Safe Loops::is_safe() const {
  return [this](const term::Term &load) { return safe_.contains(load); };
}

bool Loops::names_elements(const std::string &keys, const term::Term &extent,
                           const loop::Program &program) const {
  const loop::ArrayParameter *array = loop::find_array(keys, program);
  if (!array || array->extents.size() != 1) return false;
  const term::Term position = term::variable("position"), key = term::apply(keys, {position});
  std::vector<term::Term> hypotheses = {
      term::between(term::Term(0), position, array->extents[0]),
      term::disjunction({term::less(key, term::Term(0)), term::at_most(extent, key)})};
  for (const loop::Precondition &condition : program.preconditions)
    if (term::applications_of(condition.formula).empty()) hypotheses.push_back(condition.formula);
  return in_.prover.refute("keys name elements", keys, hypotheses) == prove::Answer::Refuted;
}

std::vector<loop::Request> Loops::changes(const loop::Program &lowered) const {
  const bool asked = !in_.schedule.loops.empty();
  const prove::Prover::Optional optional(in_.prover,
                                         asked ? "" : "whether inner products can be made at once");
  std::vector<choose::LoopsOf> loops;
  for (std::size_t k = 0; k < in_.leaves.size(); ++k) {
    const Leaf &leaf = in_.leaves[k];
    const combine::IterationSpace &space = in_.combination.leaves[k];
    loops.push_back({&space, &leaf.plan,
                     with_ranges(leaf.verdicts, choose::ranges_of(leaf.plan, lowered), space, leaf.order,
                                 in_.prover, in_.details)});
  }
  if (asked) return choose::loop_requests(in_.schedule, loops, lowered);
  if (in_.leaves.size() != 1 || in_.schedule.blas) return {};
  const Leaf &leaf = in_.leaves.front();
  for (const plan::Alternative &other : leaf.plan.alternatives) {
    if (!leaf.verdicts_of_untiled) return {};
    loops.push_back({&in_.untransformed.front(), &other.plan, *leaf.verdicts_of_untiled});
  }
  return choose::dot_products(loops, lowered, in_.request.counts);
}

loop::Program Loops::with_blas(loop::Program lowered) const {
  const parse::ScheduleTree &schedule = in_.schedule;
  const bool keep_parallel =
      !schedule.parallel.empty() || !schedule.fused.empty() || !schedule.reductions.empty();
  loop::BlasCalls made = loop::call_blas(loop::fold(std::move(lowered)), keep_parallel);
  if (made.calls > 0) return std::move(made.program);
  std::string nests;
  for (const loop::BlasCalls::Left &left : made.left)
    nests += (nests.empty() ? "" : "; ") +
             (left.variable.empty() ? left.why : fmt::format("loop over `{}`: {}", left.variable, left.why));
  report::fail(report::Kind::not_supported, schedule.blas->span,
               fmt::format("`blas`: no nest of loops is a call of BLAS ({})",
                           nests.empty() ? "none adds products up" : nests),
               "a dense vector, or matrix, times another is one; `unravel explain` prints the loops");
}

loop::Program Loops::improve(loop::Program lowered, Steps &steps) const {
  if (in_.schedule.blas)
    lowered = steps.run(
        "BLAS", [&] { return with_blas(std::move(lowered)); },
        [](const loop::Program &program) { return loop::to_text(program); });
  const std::vector<loop::Request> requests = changes(lowered);
  std::set<term::Term> copied; // loads of iterations that stand beside others, in bounds likewise
  if (!requests.empty())
    lowered = steps.run(
        in_.schedule.loops.empty() ? "inner products at once" : "loops as asked for",
        [&] {
          loop::Requested granted = loop::grant(loop::fold(lowered), requests, is_safe());
          copied = std::move(granted.in_bounds);
          loop::verify(granted.program);
          return std::move(granted.program);
        },
        [](const loop::Program &program) { return loop::to_text(program); });
  const loop::Known known = {
      [&](const term::Term &load) { return safe_.contains(load) || copied.contains(load); },
      in_.request.counts,
      [&](const std::string &keys, const term::Term &extent) {
        return names_elements(keys, extent, lowered);
      }};
  std::string shown = in_.request.details ? loop::to_text(lowered.body) : "";
  const loop::AroundPass step = [&](const loop::Pass &pass, const std::function<loop::Program()> &apply) {
    return steps.run(fmt::format("pass {}", pass.name), apply, [&](const loop::Program &program) {
      std::string before = std::exchange(shown, loop::to_text(program.body));
      return shown == before ? "" : shown; // only what the pass changes
    });
  };
  return steps.run(
      "improved loops", [&] { return loop::improve(lowered, known, step); },
      [](const loop::Program &program) { return loop::to_text(program); });
}

} // namespace unravel::pipeline
