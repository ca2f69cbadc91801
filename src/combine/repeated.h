#pragma once

#include "combine/space.h"
#include "prove/prover.h"

namespace unravel::combine {

/// Factors that are the same access to the same tensor, as in A(i,j) * A(i,j), share their positions where
/// the layout's properties prove that a coordinate has one position at most: the later access then reads what
/// the earlier one has found, and nothing is to be looked for. Where two positions may hold the same
/// coordinate the product is that of their sums, and each access keeps positions of its own.
///
/// Two questions per position of an access that is repeated, however often.
void share_positions(IterationSpace &space, prove::Prover &prover);

/// Puts other terms in the place of positions; where one is a variable, operands have it as their position.
void rename_positions(IterationSpace &space, const term::Substitution &by);

/// Positions that equal a coordinate, as those of dense vectors, go; the coordinate takes their place. For
/// products of so many factors that they have more variables than a loop order is planned for.
void use_coordinates(IterationSpace &space);

/// Whether two factors are the same access.
bool repeats_access(const IterationSpace &space);

} // namespace unravel::combine
