#pragma once

#include "combine/space.h"
#include "cost/thresholds.h"
#include "find/planner.h"
#include "plan/leaf.h"
#include "prove/prover.h"
#include "schedule/order.h"

/// Which of several proved plans a kernel executes is decided when it runs, by the counts and segments at
/// hand: here the other plans are made, with the conditions under which they are the better ones.
/// (docs/choice.md has the thresholds and what they were measured on.)
namespace unravel::choose {

/// A leaf's space and what is known about it.
struct Given {
  const combine::IterationSpace &space;
  const combine::Combination &combination;
  prove::Prover &prover;
  /// What the user asked for: then there are no alternatives.
  const find::Requests &requests;
  /// The user gave the order of the loops: no alternative has another one.
  bool fixed_order;
  const cost::Thresholds &thresholds;
};

/// Adds to a leaf's plan, whose parallel loop is chosen, the alternatives that are proved and may pay:
///
/// - Entries behind marks. The plan loops over rows, over their entries, and finds by a map that all rows
/// share. When
///   few keys are in the map, one loop over all entries tests many of them at once for a mark, and the row is
///   found only at a hit.
/// - Few targets. One loop leads to the find, and it is short for the segment: binary search in place of a
/// walk or a
///   map.
/// - The other driver. The segment is short for the loop: its positions are looped over, and the loop's are
/// found.
void add_alternatives(plan::LeafPlan &plan, const schedule::Order &order, const Given &given);

/// Has the plan an alternative that tests marks?
bool looks_for_marks(const plan::LeafPlan &plan);

/// For tests and measurements: the alternative of that number without a condition, or the main plan alone.
void keep_only(plan::LeafPlan &plan, std::size_t number);

} // namespace unravel::choose
