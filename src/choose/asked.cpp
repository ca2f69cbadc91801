#include "choose/asked.h"

#include "choose/parallel.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::choose {

using depend::Verdict;
using parse::ScheduleTree;
using plan::LeafPlan;
using plan::Reduction;
using report::Kind;
using scan::Level;

namespace {

bool asks_for(const ScheduleTree &schedule, const char *sharing) {
  return schedule.sharing && schedule.sharing->text == sharing;
}

/// The last that is asked for the tensor, or null.
const parse::Name *method_for(const ScheduleTree &schedule, const std::string &tensor) {
  const parse::Name *method = nullptr;
  for (const ScheduleTree::Reduce &reduce : schedule.reductions)
    if (reduce.target.text == tensor) method = reduce.method.text == "auto" ? nullptr : &reduce.method;
  return method;
}

void check_copies(const LeafPlan &plan, const depend::LoopVerdict &verdict,
                  const combine::IterationSpace &space, const parse::Name &method) {
  const std::string &loop = verdict.variable, &tensor = space.target.tensor;
  if (adds_to_one(plan, *plan.parallel, space))
    report::fail(
        Kind::not_parallel, method.span,
        fmt::format("the loop over `{}` adds to one element of `{}`, in all its iterations", loop, tensor),
        fmt::format("write `reduce {} by scalar`: each thread has a sum of its own", tensor));
  if (is_inner_loop(plan, *plan.parallel))
    report::fail(Kind::not_parallel, method.span,
                 fmt::format("the loop over `{}` is inside other loops: each of their iterations would clear "
                             "and add up the threads' copies of `{}`",
                             loop, tensor),
                 fmt::format("write `reduce {} by atomic`, or give another `order`", tensor));
  if (!may_have_copies(plan, verdict, *plan.parallel, space))
    report::fail(Kind::not_parallel, method.span,
                 fmt::format("threads can't have copies of `{}` in a loop that searches for entries", tensor),
                 fmt::format("write `reduce {} by atomic`", tensor));
}

std::size_t level_of(const LeafPlan &plan, const parse::Name &wanted) {
  const std::vector<Level> &levels = plan.nest.levels;
  for (std::size_t k = 0; k < levels.size(); ++k)
    if (levels[k].is_loop() && levels[k].variable == wanted.text) return k;
  fail_no_loop(wanted, loops_of(plan.nest));
}

void take(LeafPlan &plan, WorkBefore found, const parse::Name &at, const std::string &what) {
  if (!found.equal) report::fail(Kind::not_parallel, at.span, what + ": " + found.problem, found.hint);
  plan.cut = std::move(*found.equal);
}

/// Why no loop that appends is cut in another way.
const std::string appends_in_chunks = "threads append to a sparse result in chunks of whole iterations";

std::string not_cut(const std::string &variable) {
  return fmt::format("the loop over `{}` can't be cut into pieces of equal work", variable);
}

void fuse(LeafPlan &plan, const std::vector<depend::LoopVerdict> &verdicts,
          const combine::IterationSpace &space, const ScheduleTree &schedule, prove::Prover &prover) {
  const parse::Name &outer = schedule.fused[0], &name = schedule.fused[1];
  const std::size_t inner = level_of(plan, name);
  auto refuse = [&](const std::string &problem, const std::string &hint) {
    report::fail(Kind::not_parallel, name.span,
                 fmt::format("`{}` and `{}` can't be fused: {}", outer.text, name.text, problem), hint);
  };
  if (inner <= *plan.parallel)
    refuse(fmt::format("the loop over `{}` is not the inner one", name.text),
           name.text == outer.text
               ? "name two loops, one directly inside the other"
               : fmt::format("write `fuse {}, {}`, or give the `order` of the loops", name.text, outer.text));
  for (const plan::LevelPlan &find : plan.finds.levels)
    if (find.is_in_step_with(*plan.parallel))
      refuse(fmt::format("`{}` stands between them", plan.nest.levels[find.level].variable),
             "fuse a loop with the one directly inside");
  const depend::LoopVerdict &verdict = verdict_of(verdicts, plan, inner);
  bool adds = verdict.verdict == Verdict::Reduction && plan.reduction != Reduction::Scalar &&
              plan.reduction != Reduction::Private;
  if (verdict.verdict == Verdict::Carried || (adds && !may_be_atomic(verdict, space)))
    refuse(fmt::format("the one over `{}` carries a dependence{}", name.text,
                       adds ? fmt::format(": `{}` is read where it is added to", space.target.tensor) : ""),
           fmt::format("use `parallel {} balanced`, which shares out whole iterations", outer.text));
  WorkBefore found = pairs_before(plan, *plan.parallel, inner, prover);
  if (found.equal) found.equal->adds = adds;
  take(plan, std::move(found), name, fmt::format("`{}` and `{}` can't be fused", outer.text, name.text));
}

} // namespace

void check_rounds(const ScheduleTree &schedule, const combine::Combination &combination) {
  std::vector<parse::Name> named;
  for (const std::vector<parse::Name> *names : {&schedule.order, &schedule.parallel, &schedule.fused})
    named.insert(named.end(), names->begin(), names->end());
  for (const ScheduleTree::Transformation &how : schedule.transformations)
    named.insert(named.end(), {how.variable, how.by});
  for (const ScheduleTree::LoopRequest &request : schedule.loops)
    named.push_back(request.variable);
  if (schedule.wavefront) named.push_back(*schedule.wavefront);
  for (const parse::Name &name : named)
    if (combination.rounds.contains(name.text))
      report::fail(Kind::not_supported, name.span,
                   fmt::format("`{}` counts rounds, which are executed one after the other until their "
                               "condition holds",
                               name.text),
                   "name a loop inside the rounds or around them");
}

ScheduleTree with_fused_parallel(ScheduleTree schedule, const combine::Combination &combination) {
  auto is_result = [&](const std::string &tensor) {
    return std::ranges::any_of(combination.bindings,
                               [&](auto &binding) { return binding.is_result && binding.tensor == tensor; });
  };
  for (const ScheduleTree::Reduce &reduce : schedule.reductions)
    if (!is_result(reduce.target.text) && std::ranges::none_of(combination.leaves, [&](auto &leaf) {
          return leaf.target.tensor == reduce.target.text;
        }))
      report::fail(Kind::unknown_tensor, reduce.target.span,
                   fmt::format("`{}` is not the result", reduce.target.text),
                   fmt::format("the result is `{}`", combination.bindings.front().tensor));
  if (schedule.fused.empty()) return schedule;
  const parse::Name &fused = schedule.fused.front();
  if (asks_for(schedule, "balanced"))
    report::fail(Kind::not_parallel, schedule.sharing->span,
                 "a fused loop is always cut into pieces of equal work", "leave out `balanced`");
  for (const parse::Name &wanted : schedule.parallel)
    if (wanted.text != fused.text)
      report::fail(Kind::not_parallel, wanted.span,
                   fmt::format("`fuse` makes the loop over `{}` the parallel one", fused.text),
                   fmt::format("leave out `parallel {}`", wanted.text));
  schedule.parallel = {fused};
  return schedule;
}

bool asks_for_reduction(const ScheduleTree &schedule, const std::string &tensor) {
  return method_for(schedule, tensor) != nullptr;
}

bool reduces(const combine::IterationSpace &space) {
  return !space.sets && value::is_reduction(space.by);
}

bool may_be_atomic(const depend::LoopVerdict &verdict, const combine::IterationSpace &space) {
  return verdict.verdict == Verdict::Reduction && reduces(space) && !space.reads(space.target.tensor) &&
         space.target.local.empty();
}

void take_sharing(LeafPlan &plan, const ScheduleTree &schedule) {
  if (schedule.chunk) plan.chunk = static_cast<int>(*schedule.chunk);
  if (asks_for(schedule, "guided")) plan.schedule = loop::Parallel::Schedule::Guided;
  if (!asks_for(schedule, "static")) return;
  plan.schedule = loop::Parallel::Schedule::Static;
  plan.chunk_per_thread = !schedule.chunk || !schedule.fused.empty();
}

bool reduce_as_asked(LeafPlan &plan, const std::vector<depend::LoopVerdict> &verdicts,
                     const combine::IterationSpace &space, const ScheduleTree &schedule) {
  const depend::LoopVerdict &verdict = verdict_of(verdicts, plan, *plan.parallel);
  plan.reduction = adds_up(plan, verdict, *plan.parallel, space) ? Reduction::Scalar
                   : verdict.verdict == Verdict::Reduction       ? Reduction::Private
                                                                 : Reduction::None;
  const parse::Name *method = method_for(schedule, space.target.tensor);
  if (!method || !may_be_atomic(verdict, space)) return false;
  if (method->text == "private") check_copies(plan, verdict, space, *method);
  if (method->text == "scalar" && !adds_to_one(plan, *plan.parallel, space))
    report::fail(Kind::not_parallel, method->span,
                 fmt::format("the loop over `{}` adds to many elements of `{}`", verdict.variable,
                             space.target.tensor),
                 "write `private`, which gives each thread a copy of them, or `atomic`, by which all threads "
                 "add to the same elements");
  plan.reduction = method->text == "scalar"    ? Reduction::Scalar
                   : method->text == "private" ? Reduction::Private
                                               : Reduction::Atomic;
  return true;
}

void cut_as_asked(LeafPlan &plan, const std::vector<depend::LoopVerdict> &verdicts,
                  const combine::IterationSpace &space, const ScheduleTree &schedule, prove::Prover &prover,
                  const cost::Thresholds &thresholds, std::optional<WorkBefore> *hindrance) {
  if (!schedule.fused.empty() && space.target.appends)
    report::fail(Kind::not_parallel, schedule.fused.front().span,
                 "loops can't be fused: " + appends_in_chunks, "leave out `fuse`");
  if (!schedule.fused.empty()) {
    fuse(plan, verdicts, space, schedule, prover);
  } else if (asks_for(schedule, "balanced")) {
    WorkBefore found = space.target.appends
                           ? WorkBefore{std::nullopt, appends_in_chunks, "leave out `balanced`"}
                           : positions_before(plan, *plan.parallel, prover);
    if (hindrance && !found.equal)
      *hindrance = std::move(found);
    else
      take(plan, std::move(found), *schedule.sharing, not_cut(plan.nest.levels[*plan.parallel].variable));
  }
  if (plan.equal() && !schedule.chunk) plan.chunk = thresholds.work_of_piece;
}

void cut_shared_as_asked(const std::vector<LeafPlan *> &plans, const scan::Node &loop,
                         const ScheduleTree &schedule, prove::Prover &prover,
                         const cost::Thresholds &thresholds, bool appends,
                         std::optional<WorkBefore> &hindrance) {
  if (!asks_for(schedule, "balanced")) return;
  WorkBefore found{std::nullopt, "it is inside a loop that statements share",
                   "choose `static`, `dynamic` or `guided`"};
  if (appends)
    found = {std::nullopt, appends_in_chunks, "leave out `balanced`"};
  else if (loop.depth == 0)
    found = positions_before({plans.begin(), plans.end()}, loop, prover);
  if (!found.equal) {
    hindrance = std::move(found);
    return;
  }
  LeafPlan &plan = *plans.front();
  plan.cut = std::move(*found.equal);
  if (!schedule.chunk) plan.chunk = thresholds.work_of_piece;
}

void check_cuts(const std::vector<const LeafPlan *> &plans, const ScheduleTree &schedule,
                const std::optional<WorkBefore> &hindrance) {
  if (std::ranges::any_of(plans, [](const LeafPlan *plan) { return plan->equal() != nullptr; })) return;
  if (!schedule.fused.empty()) {
    const parse::Name &outer = schedule.fused[0], &inner = schedule.fused[1];
    report::fail(Kind::not_parallel, inner.span,
                 fmt::format("no statement has loops of its own over `{}` and `{}`, in this order",
                             outer.text, inner.text),
                 fmt::format("use `parallel {} balanced`, which shares out whole iterations, also of a loop "
                             "that statements share",
                             outer.text));
  }
  if (asks_for(schedule, "balanced") && hindrance)
    report::fail(Kind::not_parallel, schedule.sharing->span,
                 not_cut(schedule.parallel.front().text) + ": " + hindrance->problem, hindrance->hint);
}

void check_reductions(const ScheduleTree &schedule, bool was_used) {
  for (const ScheduleTree::Reduce &reduce : schedule.reductions)
    if (!was_used && reduce.method.text != "auto")
      report::fail(Kind::not_parallel, reduce.method.span,
                   fmt::format("no parallel loop has iterations that add to the same elements of `{}`",
                               reduce.target.text),
                   "name one that has: `unravel deps` says which loops carry a reduction");
}

} // namespace unravel::choose
