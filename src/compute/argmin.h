#pragma once

#include "compute/taken_names.h"
#include "parse/tree.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

/// `p(i) = argmin(j, A(i,j))`: the coordinate of the least element, of several the least coordinate.
namespace unravel::compute {

/// Is the value `argmin(coordinate, value)` or `argmax(coordinate, value)`?
bool is_argmin(const parse::AssignmentTree &assignment);
/// Is it the name of one of these?
bool is_argmin(const std::string &name);

/// The line as a program that reduces twice: the values by `min`, then the coordinates of what is that least
/// value, each in loops of its own, which may have any order:
///
///     let best(i) = inf;
///     for i { for j { best(i) min= A(i,j); } }
///     for i { p(i) = inf; }
///     for i { for j { p(i) min= select(bool(A(i,j) = best(i)), j, inf); } }
///
/// or, `by_rows`, in loops over the result's indices that both share, with a scalar:
///
///     for i {
///       let best = inf;
///       for j { best min= A(i,j); }
///       p(i) = inf;
///       for j { p(i) min= select(bool(A(i,j) = best), j, inf); }
///     }
///
/// Throws mistakes: indices that nothing reduces, results with other subscripts than indices, sums with `in`,
/// where `+` means another operator.
parse::ProgramTree with_argmin(const parse::AssignmentTree &assignment, bool by_rows);

/// The same two reductions, each as a line: the first one's target is a tensor of its own. `taken`: all names
/// around them.
std::pair<parse::AssignmentTree, parse::AssignmentTree>
lines_of_argmin(const parse::AssignmentTree &assignment, TakenNames &taken);

/// The program with what `made_of` gives in the place of loops that say a line, and no more than that:
/// `for i { p(i) = argmin(j, A(i,j)); }`. A line must not read the result, nor what loops and `let` around it
/// name. Nothing where there are no such lines, or none is replaced.
using MadeOfLine =
    std::function<std::optional<std::vector<parse::StatementTree>>(const parse::AssignmentTree &)>;
std::optional<parse::ProgramTree> with_lines_of_argmin(parse::ProgramTree program, const MadeOfLine &made_of);

/// A program likewise, by rows.
parse::ProgramTree with_argmin(parse::ProgramTree program);

/// Throws a mistake: it is a part of another value.
[[noreturn]] void fail_argmin_inside(const parse::Expression &written);

} // namespace unravel::compute
