#pragma once

#include "compute/computation.h"

/// Lines in which each element of the result is computed from its own old value.
namespace unravel::compute {

/// Do terms of the line read the result?
bool reads_old_value(const Program &line);

/// The line itself, whose old values are elements of an operand: what the program that it becomes is compared
/// with.
struct LineOfOld {
  Computation line;
  std::string old; // the operand; empty: the line reads none
};
LineOfOld with_old_operand(const parse::AssignmentTree &tree, Computation line);

/// The line, of which `tree` is the text, as a program: `y(i) = 2 * y(i) + A(i,j) * x(j)` is
///
///     for i {
///       let new = 0;
///       new += 2 * y(i);
///       y(i) = new;
///     }
///     for i { for j { y(i) += A(i,j) * x(j); } }
///
/// Where a term with the old value is summed, masked, or left out where a subscript leaves its tensor, the
/// old values are copied: `y(i) = y(i) * A(i,j)` is
///
///     let old(i) = y(i);
///     for i { y(i) = 0; }
///     for i { for j { y(i) += old(i) * A(i,j); } }
///
/// Precondition: terms read the result by its own subscripts alone, which are plain and differ, and no mask
/// reads it.
struct ProgramOfOld {
  parse::ProgramTree tree;
  std::string local; // `new` or `old`: it holds values of the result, in the result's type
};
ProgramOfOld with_old_value(const parse::AssignmentTree &tree, const Computation &line);

} // namespace unravel::compute
