#pragma once

#include "prove/prover.h"
#include "tensor/tensor.h"

/// Formulas over pairs of positions that take less than all pairs to check.
namespace unravel::check {

/// A bound of a variable by others: coefficient * variable + rest >= 0. Its coefficient, else 0.
std::int64_t bounding(const term::Term &part, const std::string &variable);

/// The guard under which it suffices to test a formula, in place of its own, which implies it or is implied
/// by induction. Of a formula over two positions p < q (in a segment, or anywhere) only neighbours are
/// tested, q = p + 1, where the guard lets through, with p and q, all positions between them, and what the
/// formula says of p and q is transitive: asked of the prover, the numbers in the arrays being any integers.
/// Parts of the guard that don't let all positions through count as part of what is said. Otherwise the
/// bounds of q become bounds of p too, so that p isn't tried beyond its segment.
term::Term guard_to_test(const prove::Axiom &axiom);

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
