#pragma once

#include "compute/computation.h"

#include <map>
#include <optional>
#include <string>

/// Programs whose loops say no more than a line of tensor index notation.
namespace unravel::compute {

/// The line that gives the program's result the same elements, if it begins without entries; none where this
/// doesn't follow from the text. `C(i,j) = E(i,k) * F(k,j)` is what
///
///     for i {
///       for j {
///         C(i,j) = 0;
///         for k { C(i,j) += E(i,k) * F(k,j); }
///       }
///     }
///
/// says. It follows where
/// - there is one result, which no statement reads, and all that is done is to set it and to add to it, by
/// the
///   same subscripts; parts of a sum become in `types` what the sum becomes;
/// - what sets an element comes before all that adds to it: for each loop that both share they have a
/// subscript
///   in common, with that loop's variable;
/// - each variable subscripts modes of one extent, a size; its loop goes over all of it, or conditions over
///   the variables say over which part.
std::optional<Computation> as_line(const Computation &program,
                                   const std::map<std::string, value::Type> &types);

/// The same of a dense result, whose elements keep what they hold where nothing sets them: all are set, or
/// none is.
std::optional<Computation> as_dense_line(const Computation &program,
                                         const std::map<std::string, value::Type> &types);

} // namespace unravel::compute
