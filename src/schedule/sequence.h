#pragma once

#include "combine/space.h"
#include "prove/prover.h"
#include "schedule/order.h"

/// Programs: which loops their statements share, and in which order each statement's own are.
namespace unravel::schedule {

/// Frees statements of loops that only the source binds them to. Where a statement has its loops alone, and
/// only adds products to a tensor that it doesn't read, any order of them will do. So it is where several
/// add to a tensor that was set to zero, and what sets all of it to zero in these loops may come before them:
/// that becomes one of the program's `clears`, as it does where it has its loops alone.
void free_loops(combine::Combination &program, prove::Prover &prover);

/// Takes loops apart whose statements may run one after the other, where some statement then has an order
/// that costs less (loop distribution; Allen and Kennedy 1984). The statements' order in the text stays.
void distribute(combine::Combination &program, const Counts &counts, prove::Prover &prover);

/// The number of outermost loops that the leaf shares with others, or that are rounds.
std::size_t shared_depth(const combine::Combination &program, std::size_t leaf);

} // namespace unravel::schedule
