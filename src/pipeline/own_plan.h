#pragma once

#include "pipeline/plans.h"
#include "plan/leaf.h"

#include <optional>

/// What a line's own loops compute, as a plan: to be compared with others.
namespace unravel::pipeline {

/// The leaf's loops in their order, and the sums that it keeps in locals: those of `hoists`, or what is
/// summed in the innermost loop, if it is over a dense mode and the loop around is over a mode of the result,
/// before it is multiplied with what doesn't change there. Nothing where the
/// loops aren't those over the network's indices. Precondition: it is the leaf of the line of which `plans`
/// are.
std::optional<contract::Forest> own_forest(const Plans &plans, const plan::LeafPlan &leaf);

} // namespace unravel::pipeline
