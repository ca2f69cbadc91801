#pragma once

#include "depend/statements.h"
#include "lower/lower.h"
#include "parse/tree.h"

/// Outermost loops of a program that carry dependences, executed in wavefronts.
namespace unravel::choose {

/// The loop that the schedule asks for (`wavefront i`); none where it asks for none. `plans`: one per leaf.
/// Throws where there is no such loop, where it carries nothing, and where a dependence of it can't be
/// inspected or a find stands in the way.
std::optional<lower::Wavefronts> wavefronts(const combine::Combination &program,
                                            const std::vector<const lower::LeafPlan *> &plans,
                                            const parse::ScheduleTree &schedule, prove::Prover &prover);

/// For `unravel explain`: what the inspector visits.
std::string to_text(const lower::Wavefronts &wavefronts, const combine::Combination &program);

} // namespace unravel::choose
