#pragma once

#include "compute/computation.h"
#include "parse/tree.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

/// Brackets: sums that are a factor of a product. They are computed as they are written, where operands allow
/// it.
namespace unravel::compute {

/// The ways to compute a term's brackets.
enum class Brackets {
  Kept,     // computed as they are written: nothing else is cheaper
  OneOrOut, // one bracket of sparse terms: it is walked where their layouts have a common order
  Out,     // one bracket with sparse terms and others, which would be walked for all elements: multiplied out
  Several, // several with sparse terms: they may be collected in local tensors first
};

/// Has each element of that access a slot?
using IsTotal = std::function<bool(const Access &)>;

/// Says which of them a term of the statement allows.
Brackets brackets_of(const Statement &statement, const Value &term, const IsTotal &is_total);

/// The program with those terms multiplied out. A term of a line becomes several statements.
Program multiplied_out(const Program &program,
                       const std::function<bool(const Statement &, const Value &)> &which);

/// The line as a program in which brackets of sparse terms are collected in local tensors first: of
/// `s = (A(i,j) - B(i,j)) * (A(i,j) - B(i,j))`
///
///     let sum(i, j) = 0;
///     for i { for j { sum(i,j) += A(i,j); } }
///     for i { for j { sum(i,j) += -B(i,j); } }
///     s = 0;
///     for i { for j { s += sum(i,j) * sum(i,j); } }
struct CollectedBrackets {
  parse::ProgramTree program;
  std::map<std::string, std::size_t> locals; // with the number of their modes
};
/// Nothing where a subscript is shifted, or the line's terms have different masks.
std::optional<CollectedBrackets> with_collected_brackets(const Program &line, const IsTotal &is_total);

} // namespace unravel::compute
