#pragma once

#include "compute/computation.h"
#include "parse/tree.h"

#include <optional>
#include <string>

namespace unravel::compute {

/// A line that reduces in a local tensor, and converts what comes out: where what is reduced would be another
/// number if each part was converted. With an int64 y `y(i) = A(i,j)*x(j)` is
///
///     let sum(i) = 0;
///     for i { for j { sum(i) += A(i,j)*x(j); } }
///     for i { y(i) = sum(i); }
struct ReducedInLocal {
  parse::ProgramTree program;
  std::string local;
  std::size_t order = 0; // of the local tensor, whose modes are the result's indices
};

/// Nothing where a subscript is shifted, or the line's terms have different masks.
std::optional<ReducedInLocal> reduced_in_local(const Program &line);

} // namespace unravel::compute
