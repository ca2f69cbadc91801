#pragma once

#include "compute/brackets.h"

#include <optional>
#include <string>
#include <vector>

/// Sums over what isn't stored.
namespace unravel::compute {

/// The line as a program that computes its terms where their sparse operands are stored, and counts where
/// they aren't: there it has one value, that with the fills in place of those operands. Of `y(i) +=
/// exp(A(i,j))`
///
///     tensor A(n_i, n_j);
///     let missing(i) = n_j;
///     for i { for j { missing(i) -= 1 mask A(i,j); } }
///     for i { for j { y(i) += exp(A(i,j)) mask A(i,j); } }
///     for i { y(i) += select(0 < missing(i), missing(i) * exp(0), 0); }
///
/// What is reduced by an idempotent operator takes that value once, where anything isn't stored.
struct CountedRest {
  parse::ProgramTree program;
  std::vector<std::string> counts; // locals
};

/// Nothing where no term is like that: it is nothing where none of its sparse operands is stored, these lack
/// an index that it is summed over, or its value elsewhere depends on one of these indices.
std::optional<CountedRest> with_counted_rest(const Program &line, const IsTotal &is_total);

} // namespace unravel::compute
