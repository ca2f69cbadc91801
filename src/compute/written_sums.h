#pragma once

#include "compute/own_operators.h"
#include "parse/tree.h"

#include <set>
#include <string>

/// What a line sums over, for people: the line with its sums written out.
namespace unravel::compute {

/// Names that subscript a tensor in the expression: such a name is an index in its values, too.
std::set<std::string> subscript_names(const parse::Expression &written, const Operators &operators);

/// The right side with its sums written out, as calls of that name whose last argument is what is summed.
struct WrittenSums {
  parse::Expression value;
  std::string notes = {};   // comments: what may be meant otherwise
  bool has_several = false; // a product has several brackets with sums of their own
};
WrittenSums written_sums(const parse::AssignmentTree &line, const std::string &name);

/// The line with its sums written out (compute/summed.h says where they stand): of
/// `r(i) = b(i) - A(i,j)*x(j)`
///
///     r(i) = b(i) - sum(j, A(i, j) * x(j))
///
/// and after it, as comments, what may be meant otherwise: an index that stands in two brackets, one of whose
/// terms lacks it; and one that stands only in a function's argument. A line in a semiring is printed as it
/// is: that says what reduces it.
std::string text_with_sums(const parse::AssignmentTree &line);

} // namespace unravel::compute
