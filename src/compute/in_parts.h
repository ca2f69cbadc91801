#pragma once

#include "compute/computation.h"

/// Products of which parts are reduced by themselves.
namespace unravel::compute {

/// Why the types of a line don't allow that parts of its product are reduced by themselves, in the type that
/// the line is computed in, and then converted to the target's, for people; empty: they do. `product`: the
/// operator by which sums are multiplied with the rest; none: they are the line's sums, or parts of them.
std::string why_not_in_parts(const Statement &line, const std::optional<value::Operator> &product);

/// The factor, converted to that type.
parse::Expression converted_factor(parse::Expression factor, value::Type type);

/// What a part of the line's product is computed in that reads numbers of that type: as all of it is, or,
/// where that is complex and the part isn't, in the type of its parts.
value::Type type_of_part(const Statement &line, value::Type own);

} // namespace unravel::compute
