#include "choose/wavefronts.h"

#include "choose/packed.h"
#include "find/planner.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::choose {

using combine::Combination;
using combine::IterationSpace;
using report::Kind;

namespace {

/// In the statement as it is planned.
bool is_outermost(const std::string &loop, const plan::LeafPlan &plan) {
  const auto &levels = plan.nest.levels;
  return plan.shared > 0 || (!levels.empty() && levels[0].is_loop() && levels[0].variable == loop);
}

/// Whether all iterations of the outermost loop would share what it keeps.
bool is_shared(const plan::LevelPlan &find) {
  return find.filled_map() || (find.walk() && find.walk()->state_level == 0 && !find.walk()->in_step);
}

void require_own_finds(const plan::LeafPlan &plan, const parse::Name &wanted) {
  for (const plan::LevelPlan &find : plan.finds.levels) {
    if (!is_shared(find)) continue;
    const std::string &variable = plan.nest.levels[find.level].variable;
    report::fail(
        Kind::no_wavefronts, wanted.span,
        fmt::format(
            "the loop over `{}` can't run in wavefronts: iterations share the state of the search for {}",
            wanted.text, variable),
        fmt::format("write `find {} by binary`", variable));
  }
}

void pack(plan::Wavefronts &wavefronts, const Combination &program,
          const std::vector<const plan::LeafPlan *> &plans, const parse::ScheduleTree &schedule,
          prove::Prover &prover, const cost::Thresholds &thresholds) {
  Packing packing = packed_segments(program, plans, wavefronts.first, wavefronts.last, prover);
  const std::string &loop = schedule.wavefront->text;
  if (!packing.problem.empty())
    report::fail(
        Kind::no_wavefronts, schedule.packed->span,
        fmt::format("the data that iterations over `{}` read can't be packed: {}", loop, packing.problem),
        fmt::format("write `wavefront {}`", loop));
  wavefronts.packed = std::move(packing.segments);
  wavefronts.least = thresholds.least_work_of_packed_level;
  wavefronts.least_of_iteration = 0;
}

} // namespace

bool wants_wavefronts(const IterationSpace &space, const parse::ScheduleTree &schedule) {
  return schedule.wavefront && !space.loops.empty() && space.loops.front() == schedule.wavefront->text;
}

std::optional<plan::FindPlan> own_finds(const plan::LeafPlan &plan, prove::Prover &prover,
                                        find::Requests requests) {
  // All levels are taken for one nest.
  if (plan.searches.size() > 1 || (!plan.searches.empty() && plan.searches.front().before < plan.visits()))
    return std::nullopt;
  std::size_t before = requests.size();
  for (const plan::LevelPlan &find : plan.finds.levels)
    if (const scan::Level &level = plan.nest.levels[find.level];
        is_shared(find) && !requests.contains(level.variable) && !requests.contains(level.tensor))
      requests.emplace(level.variable, find::Request(plan::Method::Binary));
  if (requests.size() == before) return std::nullopt;
  return find::plan_finds_by(plan.nest, prover, requests, {});
}

std::optional<plan::Wavefronts> wavefronts(const Combination &program,
                                           const std::vector<const plan::LeafPlan *> &plans,
                                           const parse::ScheduleTree &schedule, prove::Prover &prover,
                                           const cost::Thresholds &thresholds) {
  if (!schedule.wavefront) return std::nullopt;
  const parse::Name &wanted = *schedule.wavefront;
  if (!program.has_loops())
    report::fail(Kind::no_wavefronts, wanted.span,
                 "sums of products carry no dependence that needs wavefronts",
                 fmt::format("write `parallel {}`", wanted.text));
  bool found = false;
  for (std::size_t first = 0, last = 0; first < plans.size(); first = last) {
    std::vector<const IterationSpace *> statements;
    for (last = first; last < plans.size() && (last == first || plans[first]->shared > 0) &&
                       program.leaves[last].place[0] == program.leaves[first].place[0];
         ++last)
      statements.push_back(&program.leaves[last]);
    if (statements.front()->loops.empty() || statements.front()->loops.front() != wanted.text) continue;
    found = true;
    depend::Wavefront conflicts = depend::wavefront(statements, prover);
    if (!conflicts.hindrance.empty())
      report::fail(
          Kind::no_wavefronts, wanted.span,
          fmt::format("the loop over `{}` can't run in wavefronts: no inspector can tell which "
                      "iterations touch an element of {}",
                      wanted.text, conflicts.hindrance),
          fmt::format("one of the conflicting subscripts must be `{}`, plus or minus a size or a constant",
                      wanted.text));
    if (conflicts.visits.empty()) continue;
    if (!is_outermost(wanted.text, *plans[first]))
      report::fail(Kind::no_wavefronts, wanted.span,
                   fmt::format("the loop over `{}` isn't outermost in the chosen order", wanted.text),
                   fmt::format("write `order {}`, or choose a layout with rows for it", wanted.text));
    for (std::size_t k = first; k < last; ++k)
      require_own_finds(*plans[k], wanted);
    plan::Wavefronts made{first, last, std::move(conflicts.visits), thresholds.least_work_of_level,
                          thresholds.least_work_of_iteration};
    made.ahead = cost::iterations_ahead;
    made.positions_ahead = cost::positions_ahead;
    if (schedule.packed)
      pack(made, program, plans, schedule, prover, thresholds);
    else
      made.prefetched = packed_segments(program, plans, first, last, prover).segments;
    return made;
  }
  if (found || plans.empty())
    report::fail(Kind::no_wavefronts, wanted.span,
                 fmt::format("the loop over `{}` carries no dependence", wanted.text),
                 fmt::format("write `parallel {}`", wanted.text));
  report::fail(Kind::unknown_variable, wanted.span,
               fmt::format("there is no outermost loop over `{}`", wanted.text),
               "only the outermost loop of a program's statements can run in wavefronts");
}

std::string order_of(const depend::Visit &visit) {
  return visit.earlier && visit.later ? "is ordered with" : visit.earlier ? "waits for" : "precedes";
}

std::string to_text(const plan::Wavefronts &wavefronts, const Combination &program,
                    const std::string &indent) {
  std::string text;
  for (const depend::Visit &visit : wavefronts.visits) {
    const IterationSpace &space = program.leaves[wavefronts.first + visit.statement];
    text += fmt::format("{}instances of `{}`: {} {} {}\n", indent, space.span.text(), space.loops.front(),
                        order_of(visit), term::to_text(visit.partner));
  }
  for (const plan::PackedSegment &segment : wavefronts.packed)
    text += fmt::format("{}packed: {}, {} in [{}, {})\n", indent, fmt::join(segment.indices, ", "),
                        fmt::join(segment.values, ", "), term::to_text(segment.lower),
                        term::to_text(segment.upper));
  return text;
}

} // namespace unravel::choose
