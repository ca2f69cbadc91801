#pragma once

#include "combine/space.h"
#include "cost/thresholds.h"
#include "find/planner.h"
#include "plan/leaf.h"

#include <map>
#include <optional>
#include <string>

/// Which loop runs in parallel is decided in parallel.h; here: from how much work on, and in which
/// pieces. Waking a team of threads that sleep costs as much as some hundred thousand entries
/// (docs/choice.md).
namespace unravel::choose {

/// The number of values that the operand of that name ("A#2") stores; none where an array must be read for
/// it.
std::optional<term::Term> entries_of(const std::string &name, const combine::IterationSpace &space,
                                     const combine::Combination &combination);

/// What the plan's parallel loop does, in entries of the tensors that it runs over or fills maps from, times
/// the iterations of the dense loops inside: a term over sizes and counts. None where there is no parallel
/// loop, or nothing is known.
std::optional<term::Term> work_of(const plan::LeafPlan &plan, const combine::IterationSpace &space,
                                  const combine::Combination &combination,
                                  const cost::Thresholds &thresholds);

/// The outermost loop, which carries additions to elements of the result: where threads may share it if each
/// adds to a copy, as it does as much as is known beforehand, passing each tensor once, and no dense loop
/// inside is parallel.
std::optional<std::size_t> level_for_copies(const plan::LeafPlan &plan, const combine::IterationSpace &space,
                                            const combine::Combination &combination,
                                            const cost::Thresholds &thresholds);

/// Sets `least` and `work` (none: the iterations count) of a plan with a parallel loop, and where the user
/// gave no chunk, `chunk` of a loop over entries one by one, and `share` of others. Of a loop inside others
/// the work is that of one pass, since each wakes the team.
void share_out(plan::LeafPlan &plan, const combine::IterationSpace &space,
               const combine::Combination &combination, const find::Lengths &lengths, bool chunk_is_given,
               const cost::Thresholds &thresholds);

/// The work of the plan's parallel loop, by the lengths of its loops in the data and by the data's counts: as
/// a part of that from which on a team pays.
double part_of_least(const plan::LeafPlan &plan, const combine::IterationSpace &space,
                     const combine::Combination &combination, const find::Lengths &lengths,
                     const std::map<std::string, double> &counts, const cost::Thresholds &thresholds);

/// One of a program's statements that share a parallel loop.
struct Statement {
  plan::LeafPlan *plan;
  const combine::IterationSpace &space;
  find::Lengths lengths; // in the data; empty where these aren't known
};

/// The same as for one statement of the loop at that depth, which the statements share: it does the work of
/// all. Whether that is less than a team pays for.
void share_out(const std::vector<Statement> &statements, const combine::Combination &combination,
               std::size_t depth, bool chunk_is_given, const cost::Thresholds &thresholds);
bool is_too_short(const std::vector<Statement> &statements, const combine::Combination &combination,
                  std::size_t depth, const std::map<std::string, double> &counts,
                  const cost::Thresholds &thresholds);

/// The innermost level, where it is a loop over a segment of entries that the lengths say is short on
/// average, and nothing is found or tested in it.
std::optional<std::size_t> brief_level(const plan::LeafPlan &plan, const find::Lengths &lengths);

} // namespace unravel::choose
