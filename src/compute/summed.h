#pragma once

#include "compute/value.h"

#include <set>
#include <string>

/// What a line sums over: of each index that its result hasn't, where in the right side the sum stands.
namespace unravel::compute {

/// The indices of the value that the result hasn't.
std::set<std::string> summed_indices(const Value &value, const std::set<std::string> &of_result);

/// The terms of a line, each summed over all of its own indices that the result hasn't. For each such index
/// one goes down from the right side: at a sum each term is by itself. At a product or quotient whose factors
/// use the index, the sum stands over the whole of it, but where one factor alone uses it, and is a bracket
/// and no divisor: then the sum stands inside that bracket, so that of `c(i) * (A(i,j) * x(j) - b(i))` the
/// terms are `c(i) * A(i,j) * x(j)` and `-c(i) * b(i)`: what cancels there is no less exact than the sum
/// itself. Divisors, arguments of functions and comparisons are not gone into.
///
/// Throws a limit where a product has two brackets with sums of their own.
Sum summed_terms(Sum right_side, const std::set<std::string> &of_result, const text::Span &span);

} // namespace unravel::compute
