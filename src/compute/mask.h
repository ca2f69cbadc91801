#pragma once

#include "compute/affine.h"
#include "compute/computation.h"

/// Masks: where a statement is executed.
namespace unravel::compute {

/// One of the cases of a mask, of which at most one holds at each point.
struct MaskCase {
  std::vector<Mask> masks;
  term::Term condition = term::truth();
};

/// The cases of what is written behind `mask`; without it one, in which nothing is asked. `access` makes a
/// tensor's access. Throws mistakes, and a limit where there are too many cases.
std::vector<MaskCase> cases_of(const std::optional<parse::Expression> &mask,
                               const std::function<Access(const parse::Expression &)> &access,
                               const NamedTerm &named);

/// The statement for each of the cases.
std::vector<Statement> masked(const Statement &statement, const std::vector<MaskCase> &cases);

/// The read in the statement's value that asks for the same element as the mask; null where there is none.
const Access *read_like(const Statement &statement, const Mask &mask);

/// What a statement's masks and condition are written as, if there are any.
std::optional<parse::Expression> mask_expression(const Statement &statement);

std::string to_text(const std::vector<Mask> &masks); // "M(i, j) and not N(i, j)"

} // namespace unravel::compute
