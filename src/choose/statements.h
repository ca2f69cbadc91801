#pragma once

#include "choose/threads.h"
#include "depend/statements.h"
#include "parse/tree.h"
#include "plan/leaf.h"
#include "scan/tree.h"

#include <vector>

/// The statements of a program: may they be executed as they are planned, and which loops in parallel?
namespace unravel::choose {

/// When a statement is executed: its place and the loops that it shares, then its own order.
depend::Schedule executed_schedule(const combine::IterationSpace &space, const plan::LeafPlan &plan);

/// Throws a limit: the statement may make entries that the layout of its result has no place for.
[[noreturn]] void fail_without_place(const combine::IterationSpace &space);
/// Throws it where a result's layout doesn't store every element, and it isn't proved that a statement makes
/// no others, or nothing of them.
void require_places(const std::vector<combine::IterationSpace> &spaces, prove::Prover &prover);

/// Throws a limit where an operand may be stored several times, in a statement that sets, or whose value
/// isn't linear in it.
void require_single_values(const std::vector<combine::IterationSpace> &spaces, prove::Prover &prover);

/// Two conflicting instances that the plans' orders turn round, if the prover doesn't exclude them; with
/// details an example, too. `source`: the program's leaves before they were transformed.
std::optional<depend::Violation> violation(const combine::Combination &program,
                                           const std::vector<combine::IterationSpace> &source,
                                           const std::vector<const plan::LeafPlan *> &plans,
                                           prove::Prover &prover, bool details);
[[noreturn]] void fail_order(const combine::Combination &program, const depend::Violation &found,
                             const parse::ScheduleTree &schedule);

/// What a loop of the nest tree carries, and whether it may run in parallel: it carries nothing, and nothing
/// else is in the way.
struct SharedVerdict {
  depend::LoopVerdict verdict;
  bool is_parallel = false;
};
SharedVerdict verdict_of(const scan::Node &loop, const combine::Combination &program,
                         const std::vector<const plan::LeafPlan *> &plans, prove::Prover &prover,
                         bool details);

/// plan::LeafPlan's `sums_at`: the verdicts are those of the nest's own loops.
std::optional<std::size_t> level_of_sum(const combine::IterationSpace &space, const plan::LeafPlan &plan,
                                        const std::vector<depend::LoopVerdict> &verdicts);

/// Whether it does, by the schedule, too. Throws mistakes where the user asks for it and it can't.
bool runs_in_parallel(const SharedVerdict &loop, const parse::ScheduleTree &schedule);

/// The schedule as one statement has it: it asks for no parallel loop that the statement hasn't, nor how that
/// is shared out.
parse::ScheduleTree asked_of(parse::ScheduleTree schedule, const scan::Nest &nest);

/// Throws a limit where the user asks for a parallel loop and none of the plans has it.
void check_parallel(const std::vector<const plan::LeafPlan *> &plans, const parse::ScheduleTree &schedule);

// ---- Loop fusion of free statements: the terms of a sum, one row after the other (Kennedy and McKinley
// 1993).

/// Of statements one after the other that add to the same tensor, each along the same coordinate in its
/// outermost loop, these loops become one: an element of the result is still in the cache when the next term
/// is added to it. Each iteration has elements of its own, so all of them run in parallel where each does.
/// Sets plan::LeafPlan's `joins` and `shared`. `chunk_is_given`, `counts`: as share_out and is_too_short
/// have them.
void join_loops(const std::vector<Statement> &statements, const combine::Combination &combination,
                bool chunk_is_given, const std::map<std::string, double> &counts,
                const cost::Thresholds &thresholds);

} // namespace unravel::choose
