#pragma once

#include "compute/brackets.h"
#include "compute/taken_names.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Sums over what isn't stored.
namespace unravel::compute {

/// Lines as a program that computes their terms where their sparse operands are stored, and counts where
/// they aren't: there a term has one value, that with the fills in place of those operands (0 times an
/// element is 0). Of `y(i) += exp(A(i,j))`
///
///     tensor A(n_i, n_j);
///     let missing(i) = n_j;
///     for i { for j { missing(i) -= 1 mask A(i,j); } }
///     for i { for j { y(i) += exp(A(i,j)) mask A(i,j); } }
///     for i { y(i) += select(0 < missing(i), missing(i) * exp(0), 0); }
///
/// What is reduced by an idempotent operator takes that value once, where anything isn't stored. An index
/// that the value depends on isn't counted over: of `v = pow(A(i,j) - mu(j), 2)` there is a `missing(j)`.
/// The least of values that grow with an index is the one at the least coordinate that isn't stored: 0, or
/// what is next to an entry. Of `p(i) min= select(A(i,j) = 0, j, inf)`
///
///     let free(i) = 0;
///     for i { for j { free(i) max= inf mask A(i,j) and j = 0; } }
///     for i { for j in [0, n_j - 1) { free(i) min= j + 1 mask A(i,j) and not A(i,j+1); } }
///     for i { for j { p(i) min= select(A(i,j) = 0, j, inf) mask A(i,j); } }
///     for i { p(i) min= select(free(i) < n_j, select(0 = 0, free(i), inf), inf); }
/// A mask leaves out where others are stored: `mask !M(i,j)` counts what neither A nor M stores. Sizes that
/// the lines have are theirs.
struct CountedRest {
  parse::ProgramTree program;
  std::vector<std::string> counts, coordinates; // locals
  std::string sum = {}; // a local in place of a vector that lists its elements, which is set from it
};

/// The lines with these operands in local tensors, one behind the other: `all(i,j) = A(i,j)` stands in front
/// of them, and adds up what A stores for one coordinate. Nothing where one of them has a fill, which such a
/// local hasn't.
struct CollectedOperands {
  Program lines;
  std::map<std::string, std::string> locals; // of each operand
};
std::optional<CollectedOperands> with_collected_operands(const Program &lines, TakenNames &taken,
                                                         const std::set<std::string> &operands);

/// Nothing where no term is like that: it is nothing where none of its sparse operands is stored, these lack
/// an index that it is summed over, or its value elsewhere depends on all of these in another way. Each
/// target has one line; one that is a local tensor of `lines` becomes one of the program. `taken`: all names
/// of the lines.
std::optional<CountedRest> with_counted_rest(const Program &lines, TakenNames &taken,
                                             const IsTotal &is_total);

} // namespace unravel::compute
