#pragma once

#include "combine/space.h"
#include "parse/tree.h"
#include "schedule/order.h"

/// Transformations of loops that a program's statements share.
namespace unravel::schedule {

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
