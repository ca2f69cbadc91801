#pragma once

#include "find/planner.h"
#include "plan/leaf.h"

#include <optional>
#include <string>
#include <vector>

/// Invariant sub-products: what a loop multiplies each entry with, though it doesn't change there, is
/// multiplied with the loop's sum instead (TTMc; Smith and Karypis 2017; Kanakagiri and Solomonik 2024,
/// section 3).
namespace unravel::choose {

/// Is it a product of three tensors or more over four indices or more? Others share nothing worth a local.
bool may_hoist(const combine::IterationSpace &space);

/// The order with the loops over dense modes innermost, those that most factors have last, but those over
/// which is summed before modes that no factor has beside them: the first loops then walk over what is
/// stored. Empty where it is the nest's own, or not each other loop is one over stored positions.
std::vector<std::string> dense_loops_last(const scan::Nest &nest, const combine::IterationSpace &space);

/// The product in parts, of which all but the last are sums of loops that are kept in a local tensor: where
/// some factors that don't change in the loop have dense modes that no others have. The loops over these then
/// run once for each sum instead of once for each of its terms; nothing where the data say that sums have
/// hardly more than one term. (Where only multiplications are saved, sums in vectors over all loops are as
/// fast: MTTKRP.) Else one loop over a dense mode, whose sum is needed in loops over other modes (an inner
/// product for each stored entry).
/// Precondition: the values that the leaf reads don't change while it is executed.
std::optional<plan::Parts> sums_in_locals(const plan::LeafPlan &plan, const combine::IterationSpace &space,
                                          const find::Lengths &lengths);

/// Why its loops have these parts: a line for each sum, as a comment.
std::string reasons_of(const plan::LeafPlan &plan);

} // namespace unravel::choose
