#pragma once

#include "parse/tree.h"

#include <string>
#include <vector>

/// Writes out the sums of a line, for people.
namespace unravel::compute {

/// The right side with its sums written out, as calls of that name whose last argument is what is summed.
struct WrittenSums {
  parse::Expression value;
  std::vector<std::string> notes = {}, warnings = {}; // what may be meant otherwise
  bool has_several = false;                           // a product has several brackets with sums of their own
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
std::string text_with_sums(const parse::AssignmentTree &line, WrittenSums sums);

} // namespace unravel::compute
