#pragma once

#include "combine/space.h"
#include "cost/thresholds.h"
#include "depend/dependence.h"
#include "find/planner.h"
#include "parse/tree.h"
#include "plan/leaf.h"
#include "prove/prover.h"

#include <optional>
#include <string>
#include <vector>

/// Which loop of a plan runs in parallel, by what the loops carry.
namespace unravel::choose {

/// The nest's loops, without what is found or follows.
std::vector<std::string> loops_of(const scan::Nest &nest);

/// Throws a mistake: a schedule names a loop that isn't among these.
[[noreturn]] void fail_no_loop(const parse::Name &wanted, const std::vector<std::string> &loops);

/// Throws a mistake: a schedule asks for two loops in parallel of which one stands in the other.
[[noreturn]] void fail_one_inside(const std::string &other, const parse::Name &wanted);

/// Whether the level stands in a loop, or behind a find.
bool is_inner_loop(const plan::LeafPlan &plan, std::size_t level);

/// Precondition: the level is a loop, and has a verdict.
const depend::LoopVerdict &verdict_of(const std::vector<depend::LoopVerdict> &verdicts,
                                      const plan::LeafPlan &plan, std::size_t level);

/// From that level on: does each point add to the same element?
bool adds_to_one(const plan::LeafPlan &plan, std::size_t from, const combine::IterationSpace &space);

/// A reduction into one element of a loop that is outermost, or in rounds: threads may add to copies of it.
bool adds_up(const plan::LeafPlan &plan, const depend::LoopVerdict &verdict, std::size_t level,
             const combine::IterationSpace &space);

/// A reduction of an outermost loop into elements: threads may add to copies of the result, where they share
/// no states and no maps.
bool may_have_copies(const plan::LeafPlan &plan, const depend::LoopVerdict &verdict, std::size_t level,
                     const combine::IterationSpace &space);

/// Whether the element of the result depends on the loop. One whose iterations all have the same element
/// carries nothing only where at most one of them does anything, as where a key is found or a condition fixes
/// its variable: nothing that threads could share.
bool has_elements_of_its_own(const plan::LeafPlan &plan, std::size_t level,
                             const combine::IterationSpace &space);

/// Whether iterations of a loop that carries nothing keep apart also where a sum is kept in a local and added
/// to its element when the loops inside end, whether or not they have found anything: elements of others,
/// too, where nothing but what is found there says whose they are. Asks the prover unless a coordinate is the
/// loop's variable.
bool keeps_to_its_elements(const plan::LeafPlan &plan, std::size_t parallel,
                           const combine::IterationSpace &space, prove::Prover &prover);

/// Whether the plan's parallel loop, though it carries nothing, doesn't: of an alternative, whose order
/// inside is another one.
bool shares_elements(const plan::LeafPlan &plan, const combine::IterationSpace &space, prove::Prover &prover);

/// Of a statement that appends: can threads that share the loop, which carries nothing, append to arrays of
/// their own? It is the outermost loop, and its iterations number the first nodes where these aren't counted:
/// all of them lie in the nodes' extent, which the prover is asked where the loop's bounds don't say so.
bool appends_apart(const plan::LeafPlan &plan, std::size_t level, const combine::IterationSpace &space,
                   prove::Prover &prover);

/// Throws: the loop that the schedule wants parallel can't be, as its iterations append one after the other.
[[noreturn]] void fail_appending(const combine::IterationSpace &space, const parse::ScheduleTree &schedule);

/// Throws where threads can't share the loop, as the schedule wants, since they would share a find's state
/// (plan::hindrance).
void check_states(const plan::LeafPlan &plan, std::size_t parallel, const combine::IterationSpace &space,
                  const parse::ScheduleTree &schedule);

/// The loop that runs in parallel: the outermost that carries nothing, the outermost of all if it adds up one
/// sum, or the one that was asked for, which is a mistake where it can't. An inner loop that is known to be
/// short stays serial.
std::optional<std::size_t> choose_parallel(const plan::LeafPlan &plan,
                                           const std::vector<depend::LoopVerdict> &verdicts,
                                           const parse::ScheduleTree &schedule, const find::Lengths &lengths,
                                           const combine::IterationSpace &space, prove::Prover &prover,
                                           const cost::Thresholds &thresholds);

[[noreturn]] void fail_carried(const parse::Name &wanted, const depend::LoopVerdict &verdict);

/// The level that gives the result's first coordinate, which ends at `end`, a value that increases in the
/// outermost loop; a dense position, which does so anyway, is none.
std::optional<std::size_t> increasing_level(const plan::LeafPlan &plan, const combine::IterationSpace &space,
                                            const term::Term &end, prove::Prover &prover);

} // namespace unravel::choose
