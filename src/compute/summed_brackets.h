#pragma once

#include "parse/tree.h"

#include <optional>

namespace unravel::compute {

/// A line with a product of brackets each of which is summed by itself, as a program in which each of them is
/// a local tensor: `y(i) = (A(i,j)*x(j) + b(i)) * (B(i,k)*z(k) + 1)` is
///
///     let sum(i) = 0;
///     for i { for j { sum(i) += A(i,j)*x(j); } }
///     for i { sum(i) += b(i); }
///     ...
///     for i { y(i) = 0; }
///     for i { y(i) += sum(i)*sum2(i); }
///
/// Nothing where the line has no such product.
std::optional<parse::ProgramTree> with_summed_brackets(const parse::AssignmentTree &line);

} // namespace unravel::compute
