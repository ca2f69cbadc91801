#pragma once

#include "choose/threads.h"

#include <vector>

/// Loop fusion of free statements: the terms of a sum, one row after the other (Kennedy and McKinley 1993).
namespace unravel::choose {

/// Of statements one after the other that add to the same tensor, each along the same coordinate in its
/// outermost loop, these loops become one: an element of the result is still in the cache when the next term
/// is added to it. Each iteration has elements of its own, so all of them run in parallel where each does.
/// Sets plan::LeafPlan's `joins` and `shared`. `chunk_is_given`, `counts`: as share_out and is_too_short
/// have them.
void join_loops(const std::vector<Statement> &statements, const combine::Combination &combination,
                bool chunk_is_given, const std::map<std::string, double> &counts,
                const cost::Thresholds &thresholds);

} // namespace unravel::choose
