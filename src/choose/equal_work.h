#pragma once

#include "plan/leaf.h"
#include "prove/prover.h"
#include "scan/tree.h"

#include <string>

/// The work before each iteration of a loop, as far as it can be had by looking into index arrays: nothing is
/// counted beforehand.
namespace unravel::choose {

/// Or why there is none: what is missing, and what to do instead.
struct WorkBefore {
  std::optional<plan::EqualWork> equal;
  std::string problem, hint;
};

/// Iterations, and the positions of the segments inside, where each segment begins at the end of the one
/// before, as rowptr(i + 1) says: the next iteration's lower bound is this one's upper bound. Proved: no
/// segment begins before the one in front of it, and what is read is inside of its arrays.
WorkBefore positions_before(const plan::LeafPlan &plan, std::size_t level, prove::Prover &prover);

/// Of an outermost loop, which the plans' statements share: iterations, and the segments of all of them.
/// Those of which nothing is known don't count.
WorkBefore positions_before(const std::vector<const plan::LeafPlan *> &plans, const scan::Node &loop,
                            prove::Prover &prover);

/// Iterations, and those of the loop at `inside`, which is the level's own but for assignments in between:
/// over such a segment, or with the same bounds in all iterations.
WorkBefore pairs_before(const plan::LeafPlan &plan, std::size_t level, std::size_t inside,
                        prove::Prover &prover);

} // namespace unravel::choose
