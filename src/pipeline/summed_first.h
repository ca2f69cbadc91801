#pragma once

#include "pipeline.h"

#include <optional>

/// Factors that are summed over what no others have before a sparse result gets its entries.
namespace unravel::pipeline {

/// The line as a program. A result's entries come row by row, and of `C(i,j) = A(i,k) * x(j)` each row would
/// go through all j to find whether A has something there, or through the entries of A for each j. Of
///
///     let w(i) = 0;
///     for i { for k { w(i) += A(i,k); } }
///     for i { for j { C(i,j) += w(i) * x(j); } }
///
/// w lists its entries, so the second statement does no more than C has entries.
/// Nothing where the result has a slot for each element, where nothing is summed so, where sums are left, or
/// where another sparse factor says of each index that is multiplied with a sum which of them meet. None where
/// the schedule speaks of plans or loops.
std::optional<Front> with_sums_first(const Request &request, const Front &front);

} // namespace unravel::pipeline
