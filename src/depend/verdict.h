#pragma once

#include "depend/dependence.h"
#include "space/set.h"

/// How a verdict comes about, conflict by conflict: for loops of one statement and those that several share.
namespace unravel::depend {

/// References that may conflict across iterations of the loop. `answer`: not Refuted.
void add_conflict(LoopVerdict &verdict, const Conflict &conflict, prove::Answer answer);

/// Do two iterations of the loop insert into one local, if both insert? They change its counts then, also
/// where no two of them ever do.
bool share_insertions(const Reference &one, const Reference &other, const std::string &loop);

/// What people want to know of it: the pairs of instances, an example.
void add_details(LoopVerdict &verdict, const Conflict &conflict, const space::Set &pairs,
                 prove::Answer answer, prove::Prover &prover);

} // namespace unravel::depend
