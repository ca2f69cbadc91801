#pragma once

#include "combine/space.h"
#include "compute/result_local.h"
#include "plan/leaf.h"
#include "prove/prover.h"
#include "schedule/order.h"

#include <optional>
#include <string>
#include <vector>

/// Statements that append to an assembled result (packing/append.h): do their entries come in its order?
namespace unravel::choose {

/// Throws a limit where several statements, or parts of one, write to such a result, or one reads it.
void check_assembled(const combine::Combination &combination, const compute::Program &program);

/// The first statement, or part of one, that appends to what another one before has appended to, and whose
/// entries may not just stand behind these; or null.
const combine::IterationSpace *appended_again(const combine::Combination &combination,
                                              const compute::Program &program);

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

/// How threads share both visits of entries that are dealt; none where entries of one coordinate are merged,
/// or are visited in an order of their own. `least`: the work of a part.
std::optional<plan::ThreadParts> parts_for_threads(const combine::IterationSpace &space,
                                                   const plan::LeafPlan &plan,
                                                   const combine::Combination &combination,
                                                   std::int64_t least, prove::Prover &prover);

/// Loop orders worth a try where another one doesn't keep the order: the loops that they begin with.
std::vector<std::vector<std::string>> orders_for_entries(const combine::IterationSpace &space,
                                                         const combine::Combination &combination);

/// Says that a statement's entries don't come in its result's order.
std::string text_of_disorder(const combine::IterationSpace &space, const combine::Combination &combination);
[[noreturn]] void fail_entry_order(const combine::IterationSpace &space,
                                   const combine::Combination &combination, const EntryOrder &found);

std::string to_text(const EntryOrder &order, const combine::IterationSpace &space,
                    const combine::Combination &combination);

// ---- When the entries of an assembled result are collected in a local tensor first.

/// How much more loops in the result's order may cost than in the order of least cost. Costs are estimates, a
/// local saves a sort of all entries, and an order against the operands costs as much more as they have rows.
inline constexpr double most_overhead = 16;

/// Are several products added to the assembled result of a line? Then their entries must be united.
constexpr const char *why_united = "the entries of several products are united in it";
bool adds_several_products(const combine::Combination &combination);

/// The same local as a list, which loops over ordered ranges that fill it may be merged instead of (merge.h);
/// nothing where it is one, or no vector.
std::optional<compute::ResultLocal> local_to_merge(compute::ResultLocal local);

/// The same local where the line's mask decides which of its elements are read, so that products are added
/// without asking it (compute::Program::masked_locals); nothing where that isn't so, or the local isn't of
/// values of floating point.
std::optional<compute::ResultLocal> masked_local(compute::ResultLocal local, const compute::Computation &line,
                                                 value::Type type);

/// A vector, in loops over the other modes, which come first in the order of the result's layout. Nothing
/// where that order has no such loops, or a product costs much more with these outermost than in its own
/// order; or the computation is no line, or its result isn't assembled. `most_loops`: around it.
std::optional<compute::ResultLocal> local_for_result(const combine::Combination &combination,
                                                     const compute::Computation &line,
                                                     const schedule::Counts &counts,
                                                     std::size_t most_loops = std::string::npos);

} // namespace unravel::choose
