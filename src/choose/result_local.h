#pragma once

#include "combine/space.h"
#include "compute/result_local.h"
#include "schedule/order.h"

#include <optional>

/// When the entries of an assembled result are collected in a local tensor first.
namespace unravel::choose {

/// Are several products added to the assembled result of a line? Then their entries must be united.
constexpr const char *why_united = "the entries of several products are united in it";
bool adds_several_products(const combine::Combination &combination);

/// The same local as a list, which loops over ordered ranges that fill it may be merged instead of (merge.h);
/// nothing where it is one, or no vector.
std::optional<compute::ResultLocal> local_to_merge(compute::ResultLocal local);

/// The same local where the line's mask decides which of its elements are read, so that products are added
/// without asking it (compute::Program::masked_locals); nothing where that isn't so, or the local isn't of
/// values of floating point.
std::optional<compute::ResultLocal> masked_local(compute::ResultLocal local, const compute::Computation &line,
                                                 value::Type type);

/// A vector, in loops over the other modes, which come first in the order of the result's layout. Nothing
/// where that order has no such loops, or a product costs much more with these outermost than in its own
/// order; or the computation is no line, or its result isn't assembled.
std::optional<compute::ResultLocal> local_for_result(const combine::Combination &combination,
                                                     const compute::Computation &line,
                                                     const schedule::Counts &counts);

} // namespace unravel::choose
