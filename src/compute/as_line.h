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
///         let s = 0;
///         for k { s += E(i,k) * F(k,j); }
///         C(i,j) = s;
///       }
///     }
///
/// says, and what sets C(i,j) to 0 in place of s, and adds to it. It follows where
/// - there is one result, which no statement reads, and all that is done is to set it and to add to it;
/// - what sets an element comes before all that adds to it: for each loop that both share they have a
/// subscript
///   in common, that loop's variable;
/// - each loop goes over all of an extent that its variable subscripts, or conditions over the variables say
///   over which part;
/// - a scalar is a sum that is read once, as a factor, and `types` says that it holds what the result does.
std::optional<Computation> as_line(const Computation &program,
                                   const std::map<std::string, value::Type> &types);

} // namespace unravel::compute
