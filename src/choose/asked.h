#pragma once

#include "choose/equal_work.h"
#include "choose/statements.h"
#include "combine/space.h"
#include "cost/thresholds.h"
#include "depend/dependence.h"
#include "parse/tree.h"
#include "plan/leaf.h"
#include "prove/prover.h"

#include <vector>

/// What a schedule asks of a parallel loop: how its iterations are shared out (`parallel i balanced`, `fuse
/// i, A.p`), and how additions are done that they share (`reduce y by atomic`). Mistakes where that can't be.
namespace unravel::choose {

/// Throws where it speaks of the loop of rounds, which are executed as they are written.
void check_rounds(const parse::ScheduleTree &schedule, const combine::Combination &combination);

/// The schedule, in which a fused loop is the one to be parallel. Throws where statements contradict each
/// other, or ask for what a program of several statements can't have.
parse::ScheduleTree with_fused_parallel(parse::ScheduleTree schedule,
                                        const combine::Combination &combination);

/// Is a method asked for the tensor's additions?
bool asks_for_reduction(const parse::ScheduleTree &schedule, const std::string &tensor);

/// Does it reduce what its target holds, by an operator whose values may be combined in any order?
bool reduces(const combine::IterationSpace &space);

/// Reductions that iterations of the loop share may be atomic: nothing reads the elements.
bool may_be_atomic(const depend::LoopVerdict &verdict, const combine::IterationSpace &space);

/// How iterations are dealt to threads, of whatever loop is parallel.
void take_sharing(plan::LeafPlan &plan, const parse::ScheduleTree &schedule);

/// Sets `reduces`, `copies` or `atomic` of a plan with a parallel loop. Returns whether that is by a method
/// that was asked for.
bool reduce_as_asked(plan::LeafPlan &plan, const std::vector<depend::LoopVerdict> &verdicts,
                     const combine::IterationSpace &space, const parse::ScheduleTree &schedule);

/// Sets `equal` of a plan with a parallel loop, if its pieces are to be of equal work; what is known of its
/// additions by now says which of these are atomic. Throws where that can't be; but of a program's statements
/// others may have such loops: then, with `hindrance`, it says there what is missing.
void cut_as_asked(plan::LeafPlan &plan, const std::vector<depend::LoopVerdict> &verdicts,
                  const combine::IterationSpace &space, const parse::ScheduleTree &schedule,
                  prove::Prover &prover, const cost::Thresholds &thresholds,
                  std::optional<WorkBefore> *hindrance = nullptr);

/// The same of a loop that the plans' statements share: whole iterations alone can be dealt out, and of the
/// outermost loop. `appends`: one of them does, to a sparse result. Sets `equal` of the first plan.
void cut_shared_as_asked(const std::vector<plan::LeafPlan *> &plans, const scan::Node &loop,
                         const parse::ScheduleTree &schedule, prove::Prover &prover,
                         const cost::Thresholds &thresholds, bool appends,
                         std::optional<WorkBefore> &hindrance);

/// Throws where pieces of equal work were asked for and no plan of a program has them.
void check_cuts(const std::vector<const plan::LeafPlan *> &plans, const parse::ScheduleTree &schedule,
                const std::optional<WorkBefore> &hindrance);

/// Throws where a method was asked for that was of no use to any leaf.
void check_reductions(const parse::ScheduleTree &schedule, bool was_used);

} // namespace unravel::choose
