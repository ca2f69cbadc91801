#pragma once

#include "combine/space.h"
#include "parse/tree.h"
#include "prove/prover.h"
#include "schedule/order.h"

namespace unravel::schedule {

/// Statements of a program that share loops over coordinates share loops over what a tensor stores there
/// instead, where each of them does nothing at other coordinates: for i { for j { let w = 0; for k { w +=
/// T(i,j,k)*c(k); } y(i) += w*B(j); } } goes through the prefixes (i, j) that T stores. Proved from what
/// values are known to be where T has no element (compute::known_value, in which 0 times anything is 0), from
/// the layout, that no prefix is stored twice, and from the dependences that the loops carry: only sums are.
/// Loops that the schedule names stay, and what it finds is found; all loops stay by `plan none`, which is
/// for infinities and NaN. Of several tensors that one is taken with which the statements' orders cost least,
/// and none where that doesn't cost less than the loops as they are.
void share_supports(combine::Combination &program, const parse::ScheduleTree &schedule, const Counts &counts,
                    prove::Prover &prover);

} // namespace unravel::schedule
