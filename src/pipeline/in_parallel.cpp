// Which of a leaf's loops runs in parallel.
#include "pipeline/leaf.h"

#include "choose/asked.h"
#include "choose/parallel.h"
#include "choose/statements.h"
#include "choose/threads.h"
#include "compute/computation.h"
#include "report/diagnostic.h"

#include <algorithm>

namespace unravel::pipeline {

/// Is the parallel loop one over a segment of a list, as a column, that other loops come to? To ask OpenMP
/// for a team takes longer than most segments, even where it refuses.
static bool is_segment_inside(const plan::LeafPlan &plan) {
  const std::vector<scan::Level> &levels = plan.nest.levels;
  const scan::Level &level = levels[*plan.parallel];
  return scan::loops_between(levels, plan.shared, *plan.parallel) > 0 && level.lower.as<term::Apply>() &&
         level.upper.as<term::Apply>();
}

void LeafPlanner::run_in_parallel(Leaf &leaf, std::size_t number, const find::Lengths &lengths) {
  const combine::Combination &combination = in_.combination;
  const combine::IterationSpace &space = combination.leaves[number];
  const parse::ScheduleTree &schedule = in_.schedule;
  const schedule::Counts &counts = in_.request.counts;
  const cost::Thresholds &thresholds = in_.thresholds;
  const bool is_one_of_several = combination.leaves.size() > 1;
  const prove::Prover::Optional optional(in_.prover, parallel_purpose());
  parts_of_team_.erase(number);
  const parse::ScheduleTree asked = is_one_of_several ? choose::asked_of(schedule, leaf.plan.nest) : schedule;
  choose::take_sharing(leaf.plan, asked);
  // Loops of statements inside of others have no teams of their own; but rounds are never parallel.
  const auto shared = leaf.plan.nest.levels.begin() + static_cast<std::ptrdiff_t>(leaf.plan.shared);
  const auto is_round = [&](const scan::Level &level) { return combination.rounds.contains(level.variable); };
  if (std::all_of(leaf.plan.nest.levels.begin(), shared, is_round) && !space.may_miss()) {
    std::vector<depend::LoopVerdict> own = leaf.verdicts;
    std::erase_if(own, [&](const auto &verdict) { return combination.rounds.contains(verdict.variable); });
    const auto chosen = [&] {
      return choose::choose_parallel(leaf.plan, own, asked, lengths, space, in_.prover, thresholds);
    };
    // Of rounds other statements may have the loop that is asked for.
    leaf.plan.parallel = leaf.parallel =
        leaf.plan.shared == 0 ? chosen() : report::unless_refused(chosen).value_or(std::nullopt);
  }
  if (schedule.parallel.empty() && !schedule.serial && space.adds_in_any_order())
    if (auto level = choose::level_for_copies(leaf.plan, space, combination, thresholds))
      if (choose::may_have_copies(leaf.plan, choose::verdict_of(leaf.verdicts, leaf.plan, *level), *level,
                                  space))
        leaf.plan.parallel = leaf.parallel = level;
  leaf.plan.brief = choose::brief_level(leaf.plan, lengths);
  if (combination.clear_of(number))
    if (const auto &extents = combination.arrays.at(space.target.array); !extents.empty())
      leaf.plan.increasing = choose::increasing_level(leaf.plan, space, extents[0], in_.prover);
  if (!leaf.plan.parallel) return;
  reduced_ = choose::reduce_as_asked(leaf.plan, leaf.verdicts, space, asked) || reduced_;
  choose::share_out(leaf.plan, space, combination, lengths, schedule.chunk.has_value(), thresholds);
  choose::cut_as_asked(leaf.plan, leaf.verdicts, space, asked, in_.prover, thresholds,
                       is_one_of_several ? &not_cut_ : nullptr);
  // Who asks for a parallel loop, means it.
  if (in_.request.always_parallel || !asked.parallel.empty()) leaf.plan.least = 0;
  if (in_.request.always_parallel) leaf.plan.work.reset();
  if (leaf.plan.least == 0) return;
  if (counts.empty()) {
    if (is_segment_inside(leaf.plan)) run_in_one_thread(leaf.plan);
    return;
  }
  const double part = choose::part_of_least(
      leaf.plan, space, combination, schedule::trip_counts(space, leaf.order, counts), counts, thresholds);
  if (leaf.plan.is_plain() && !space.target.appends &&
      scan::loops_between(leaf.plan.nest.levels, leaf.plan.shared, *leaf.plan.parallel) == 0)
    parts_of_team_[number] = part;
  // Also without a team a parallel loop costs some microseconds.
  if (part < 1 && !joined_.contains(number)) run_in_one_thread(leaf.plan);
}

void LeafPlanner::deal_in_parallel(Leaf &leaf, std::size_t number) {
  const combine::IterationSpace &space = in_.combination.leaves[number];
  const cost::Thresholds &thresholds = in_.thresholds;
  const schedule::Counts &counts = in_.request.counts;
  const parse::ScheduleTree asked = choose::asked_of(in_.schedule, leaf.plan.nest);
  leaf.plan.parallel = leaf.parallel = std::nullopt;
  if (in_.schedule.serial) return;
  plan::LeafPlan in_parts = leaf.plan;
  in_parts.parallel = 0;
  choose::share_out(in_parts, space, in_.combination, {}, true, thresholds);
  const bool is_wanted = in_.request.always_parallel || !asked.parallel.empty();
  const bool pays = counts.empty() || choose::part_of_least(in_parts, space, in_.combination,
                                                            schedule::trip_counts(space, leaf.order, counts),
                                                            counts, thresholds) >= 1;
  const std::int64_t least = is_wanted ? 0 : std::max<std::int64_t>(in_parts.least / 2, 1); // a team: two
  if (is_wanted || (pays && in_.schedule.parallel.empty()))
    leaf.plan.dealt_by_threads =
        choose::parts_for_threads(space, leaf.plan, in_.combination, least, in_.prover);
  leaf.parallel = leaf.plan.level_of_threads();
}

void LeafPlanner::join_teams(std::vector<Leaf> &leaves, Steps &steps) {
  const auto is_next = [&](std::size_t first, std::size_t other) {
    const std::size_t shared = leaves[first].plan.shared;
    return parts_of_team_.contains(other) && leaves[other].parallel && leaves[other].plan.shared == shared &&
           compute::shared_loops(in_.combination.leaves[first].place, in_.combination.leaves[other].place) >=
               shared;
  };
  for (std::size_t first = 0, end = 0; first < leaves.size(); first = std::max(end, first + 1)) {
    double sum = 0;
    for (end = first; end < leaves.size() && is_next(first, end); ++end)
      sum += parts_of_team_.at(end);
    if (sum < 1) continue;
    for (std::size_t k = first; k < end; ++k)
      if (parts_of_team_.at(k) < 1) {
        joined_.insert(k);
        leaves[k] = plan(k, steps);
      }
  }
}

void LeafPlanner::run_in_one_thread(plan::LeafPlan &plan) const {
  // A loop over what lies one behind the other can still be cut into strips.
  const bool is_plain =
      in_.schedule.loops.empty() && plan.finds.levels.empty() && plan.reduction == plan::Reduction::None;
  if (is_plain && choose::is_inner_loop(plan, *plan.parallel)) {
    plan.least = loop::Parallel::never;
    plan.work.reset();
    return;
  }
  plan.parallel.reset();
  plan.reduction = plan::Reduction::None;
}

} // namespace unravel::pipeline
