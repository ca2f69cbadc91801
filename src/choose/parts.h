#pragma once

#include "compute/contraction.h"
#include "plan/leaf.h"

#include <optional>
#include <string>
#include <vector>

/// A leaf that computes its product in parts, as a plan of contractions says: some parts stand in fewer of
/// the loops over a sparse factor's positions than others.
namespace unravel::choose {

/// May the leaf's product be that of these terms, whatever its loops are?
bool may_have_parts(const combine::IterationSpace &space, const compute::NestedTerms &nested);

/// The loops in the terms' order: over coordinates and positions, the outermost first. `nest`: in an order in
/// which the sparse factor's positions follow each other. Empty where loops can't follow the terms'.
std::vector<std::string> order_of_parts(const scan::Nest &nest, const compute::NestedTerms &nested);

/// The same where the sparse factor's elements are searched in that nest: an order that begins with its
/// positions, as soon as they are bounded. Empty where there are several sparse factors.
std::vector<std::string> positions_first(const combine::IterationSpace &space,
                                         const combine::Combination &combination,
                                         const compute::NestedTerms &nested);

/// The parts in the plan's loops. Nothing where these aren't as the terms want them: where some are searched,
/// or more than one factor is walked through.
/// Precondition: may_have_parts.
std::optional<plan::Parts> parts_of(const plan::LeafPlan &plan, const combine::IterationSpace &space,
                                    const combine::Combination &combination,
                                    const compute::NestedTerms &nested);

} // namespace unravel::choose
