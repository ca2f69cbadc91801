#pragma once

#include "combine/space.h"
#include "cost/thresholds.h"
#include "find/planner.h"
#include "parse/tree.h"
#include "plan/leaf.h"
#include "prove/prover.h"

#include <string>
#include <vector>

/// Outermost loops of a program that carry dependences, executed in wavefronts.
namespace unravel::choose {

/// The loop that the schedule asks for (`wavefront i`); none where it asks for none. `plans`: one per leaf.
/// Throws where there is no such loop, where it carries nothing, and where a dependence of it can't be
/// inspected or a find stands in the way.
std::optional<plan::Wavefronts> wavefronts(const combine::Combination &program,
                                           const std::vector<const plan::LeafPlan *> &plans,
                                           const parse::ScheduleTree &schedule, prove::Prover &prover,
                                           const cost::Thresholds &thresholds);

/// Whether the schedule asks for wavefronts of the statement's outermost loop.
bool wants_wavefronts(const combine::IterationSpace &space, const parse::ScheduleTree &schedule);

/// Other finds for a plan some of whose finds keep something from one iteration of the outermost loop to the
/// next: binary searches in their place. None where there are none to replace, or one can't be. `requests`:
/// what the user asks for, which stays.
std::optional<plan::FindPlan> own_finds(const plan::LeafPlan &plan, prove::Prover &prover,
                                        find::Requests requests);

/// "waits for", "precedes", "is ordered with": the iteration of an instance, the partner.
std::string order_of(const depend::Visit &visit);

/// For `unravel explain` and `deps`: what the inspector visits and packs, a line each.
std::string to_text(const plan::Wavefronts &wavefronts, const combine::Combination &program,
                    const std::string &indent = "");

} // namespace unravel::choose
