#pragma once

#include "depend/dependence.h"
#include "loop/requests.h"
#include "parse/tree.h"
#include "plan/leaf.h"

#include <vector>

/// What a schedule asks for of loops: do the dependences allow it?
namespace unravel::choose {

/// A leaf's plan, and what its own loops carry.
struct LoopsOf {
  const combine::IterationSpace *space = nullptr;
  const plan::LeafPlan *plan = nullptr;
  std::vector<depend::LoopVerdict> verdicts;
};

/// The variables of finds whose matches are adjacent and looped over, as the entries of a tile are: what
/// these loops carry is asked, too.
std::vector<std::string> ranges_of(const plan::LeafPlan &plan, const loop::Program &lowered);

/// The requests as passes over the lowered loops take them. Throws where there is no such loop, where one is
/// asked for twice, and where what a loop carries forbids it.
std::vector<loop::Request> loop_requests(const parse::ScheduleTree &schedule,
                                         const std::vector<LoopsOf> &leaves, const loop::Program &lowered);

/// What makes inner products of dense rows fast, as in SDDMM, D(i,j) = A(i,j) X(i,r) B(j,r): each is a sum
/// along r into an element of its own. One such sum waits for its own last addition, and ends with additions
/// across a vector; four at a time don't, and read X(i,r) once. So the loop around is jammed and that over r
/// is a simd loop. Empty where the kernel has no such loops: the result isn't one sum per iteration of the
/// loop around by what the dependence test says, the loop over r has other bounds in each, or doesn't run
/// along what it reads.
///
/// The same where a leaf's product has parts, of which one is such a sum in a local value, and others add
/// what is multiplied with it to rows, as in Y(i,r) = S(i,j) Q(i,k) K(j,k) V(j,r): four rows are added at
/// once. Not where the data are known to leave the loop around few iterations.
///
/// `plans`: all that a leaf has. They must have such loops of the same names.
/// Precondition: the requests that a user has made are none.
std::vector<loop::Request> dot_products(const std::vector<LoopsOf> &plans, const loop::Program &lowered,
                                        const loop::Counts &counts);

} // namespace unravel::choose
