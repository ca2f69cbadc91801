#pragma once

#include "combine/space.h"
#include "prove/prover.h"

namespace unravel::combine {

/// Factors that are the same access to the same tensor, as in A(i,j) * A(i,j), share their positions where
/// the layout's properties prove that a coordinate has one position at most: the later access then reads what
/// the earlier one has found, and nothing is to be looked for. Where two positions may hold the same
/// coordinate the product is that of their sums, and each access keeps positions of its own.
///
/// Two questions per position of a repeated access.
void share_positions(IterationSpace &space, prove::Prover &prover);

/// Whether two factors are the same access.
bool repeats_access(const IterationSpace &space);

} // namespace unravel::combine
