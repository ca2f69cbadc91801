#pragma once

#include "prove/prover.h"

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

} // namespace unravel::check
