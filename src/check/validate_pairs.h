#pragma once

#include "prove/prover.h"
#include "tensor/tensor.h"

#include <optional>

/// Formulas over pairs of positions that take less than all pairs to check.
namespace unravel::check {

/// What is found of a formula that says that something differs: values of the axiom's variables that violate
/// it, or none.
using EqualPair = std::vector<std::int64_t>;

/// Checks a formula like `forall p, q : p < q and 0 <= key(p) => key(p) != key(q)`, where the guard says
/// nothing else of p and q together, in linear time. Nothing where it is of another form, where it can't be
/// evaluated, or where positions are more than `budget`.
std::optional<EqualPair> find_equal_pair(const tensor::Tensor &tensor, const prove::Axiom &axiom,
                                         std::int64_t budget);

/// The variables in an order in which few values are tried: those first that have no bounds by others.
std::vector<std::string> order_to_try(std::vector<std::string> variables, const term::Term &guard);

} // namespace unravel::check
