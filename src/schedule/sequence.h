#pragma once

#include "combine/space.h"
#include "parse/tree.h"
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

/// The variables of so many of the space's loops, the outermost first, as an order is given.
std::vector<parse::Name> first_loops(const combine::IterationSpace &space, std::size_t count);

/// The cost of the least order that begins with the first `shared` of the space's loops.
double cost_with(const combine::IterationSpace &space, const Counts &counts, std::size_t shared);

// ---- Transformations of loops that a program's statements share.

/// After transform(): gives the statements the shared loops that the schedule wants, new `place`s and `loops`
/// of the form "2d + 1". Loops that the same statements share, one directly inside the other, are rearranged
/// together: skewed and shifted ones stand for those which they were made of, tiles outside of all of these
/// or where they are split, and an `order` puts them in another one. Whether that keeps the dependences is
/// tested elsewhere (depend/statements.h). Throws limits where not all who share a loop can be transformed
/// alike, or an order wants a loop outside of one that more statements share; a mistake where a loop isn't
/// bounded at its place.
void transform_shared(combine::Combination &program, const parse::ScheduleTree &schedule);

/// The given order without the loops that the statement shares, which stand where transform_shared has put
/// them.
std::vector<parse::Name> own_order(std::vector<parse::Name> given, const combine::IterationSpace &space,
                                   std::size_t shared);

/// The first variables of an order of the space as they were before it was transformed: tiles left out,
/// skewed and shifted variables by what they were made of.
std::vector<parse::Name> untransformed(const std::vector<parse::Name> &first,
                                       const combine::IterationSpace &space);

} // namespace unravel::schedule
