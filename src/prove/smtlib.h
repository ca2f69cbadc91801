#pragma once

#include "prove/expression.h"
#include "prove/prover.h"

namespace unravel::prove {

/// A product of two unknowns is an uninterpreted function: never non-linear arithmetic. No array has this
/// name.
inline constexpr const char *product_name = "a*b";

/// A question as an SMT-LIB 2 script: declarations, hypotheses, instances of axioms, (check-sat).
std::string to_smtlib(const Expressions &expressions, const Question &question,
                      const std::vector<Id> &hypotheses, const std::vector<Id> &instances);

} // namespace unravel::prove
