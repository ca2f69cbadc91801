#pragma once

#include "plan/leaf.h"
#include "prove/prover.h"

#include <string>
#include <vector>

/// Statements that append to an assembled result (packing/append.h): do their entries come in its order?
namespace unravel::choose {

/// Throws a limit where several statements, or parts of one, write to such a result, or one reads it.
void check_assembled(const combine::Combination &combination);

/// What is proved of the order in which a statement's entries come.
struct EntryOrder {
  bool is_kept = false;     // it is the layout's
  bool is_distinct = false; // no two are of one coordinate
  bool have_places = true;  // the layout stores coordinates like these
  bool may_be_parts = true; // where the layout has several entries of one coordinate, which add up
  std::string witness;      // two entries that come in another order, where the prover has them
};

/// Looks for a way in which they come in the layout's order, and sets it in the plan: as they come; dealt,
/// where the layout has segments by a position that is computed, and the statement can be visited twice; with
/// a loop sorted; or both.
EntryOrder order_entries(const combine::IterationSpace &space, plan::LeafPlan &plan,
                         const combine::Combination &combination, prove::Prover &prover);

/// Loop orders worth a try where another one doesn't keep the order: the loops that they begin with.
std::vector<std::vector<std::string>> orders_for_entries(const combine::IterationSpace &space,
                                                         const combine::Combination &combination);

/// Says that a statement's entries don't come in its result's order.
std::string text_of_disorder(const combine::IterationSpace &space, const combine::Combination &combination);
[[noreturn]] void fail_entry_order(const combine::IterationSpace &space,
                                   const combine::Combination &combination, const EntryOrder &found);

std::string to_text(const EntryOrder &order, const combine::IterationSpace &space,
                    const combine::Combination &combination);

} // namespace unravel::choose
