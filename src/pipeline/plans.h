#pragma once

#include "compute/contraction.h"
#include "contract/search.h"
#include "pipeline.h"

#include <optional>
#include <string>
#include <vector>

/// Plans of a product of several factors: which part of it is computed first, in which loops.
namespace unravel::pipeline {

/// So many may be listed, and asked for.
inline constexpr std::size_t most_plans = 1000;

/// Of a schedule: none is taken by itself, but sums are kept in locals as they are without it. It is for data
/// with infinities: of a sum over nothing a plan makes 0, and NaN of its product with one.
inline const parse::ScheduleTree::Plan no_plan{-1, {}};

/// Are kernels made that want finite values, unless the schedule has a `plan`: by a plan, or with statements
/// that share loops over what is stored?
bool may_want_finite_values(const Front &front);

struct Plans {
  contract::Network network;
  contract::Found found;  // the best ones, the cheapest first
  contract::Plan written; // all factors multiplied in the innermost loop
  double least_work = 0;  // of all plans, and of the line as written: operations
  compute::Contraction contraction;
  std::vector<contract::Set> walked; // as compute::with_plan wants it
};

/// Does the user speak of the loops, or the result's entries, so that they must stay as they are?
bool has_wishes(const parse::ScheduleTree &schedule);

/// The layout in which a buffer lists its entries.
std::string layout_of_buffer(const contract::Network &network, const contract::Buffer &buffer);

/// As if the result were dense: its plans are those of the product alone.
Front with_dense_result(Front front, const compute::Access &target);

/// In a request's counts: how many times as many pairs of entries have the same coordinates in these modes of
/// two tensors as if their entries lay anywhere.
std::string join_name(std::string one, std::size_t mode, std::string other, std::size_t other_mode);

/// The line as a network, by the counts that the request has; guesses stand for the others. False where it
/// can't be taken apart, and then `why`. Sets `contraction` and `walked`, too.
bool network_of(const Request &request, const Front &front, Plans &plans, std::string &why);
/// So many of the best plans of the network; `seconds` of CPU time it may take, 0: no limit.
void search_plans(const Front &front, std::size_t plans, Plans &of, double seconds = 0);
/// Both. By the counts that the request has; guesses stand for the others. `plans`: so many of the best.
/// Nothing where the line can't be taken apart, and then `why`.
std::optional<Plans> plans_of(const Request &request, const Front &front, std::size_t plans,
                              std::string &why);

/// How the line is computed by that plan.
compute::PlannedLine planned_line(const Front &front, const Plans &plans, const contract::Plan &plan);

/// So many of the best are looked at where the schedule asks for none; more where all of these do too much
/// work.
inline constexpr std::size_t plans_looked_at = 10;
/// Nothing where none is wanted, or the schedule says something of loops, or there are no plans. Where one is
/// asked for by its number, it is among them, if it exists.
std::optional<Plans> plans_to_choose_from(const Request &request, const Front &front);

/// The number, from 0 on, of the plan that is taken before the line's own loops are known: the best one that
/// is a program, if it is clearly cheaper than the line as it is written and than all loops that the line may
/// have by itself.
std::optional<std::size_t> choice_of(const Front &front, const Plans &plans);

/// The most work that a plan may do which is taken by itself, where the best does `least`: 1.1 times as much;
/// up to twice as much where the time saved is a larger part than the work added (cost/contractions.h).
double most_work_of(const Front &front, const Plans &plans, double least);

/// The cheapest of `plans` that does no more work than that, or else the line as it is written: about what a
/// call costs.
const contract::Plan &cheapest_of(const Front &front, const Plans &plans);

/// The numbers of those that are taken in place of the line's own loops, which compute `own`; the best first.
/// They are clearly cheaper, or the own loops do more work than any loops may (cost/contractions.h).
std::vector<std::size_t> choices_beside(const Front &front, const Plans &plans, const contract::Forest &own);

/// The front with the program, or the loops, of that plan.
/// Precondition: it isn't one product without sums.
Front with_plan(const Request &request, const Front &front, const Plans &plans, std::size_t number);

/// That of the plan that the schedule asks for, or of choice_of; `plans`: those of plans_to_choose_from. Else
/// nothing. Throws mistakes and limits of what is asked for.
std::optional<Front> with_plan(const Request &request, const Front &front, const std::optional<Plans> &plans);

} // namespace unravel::pipeline
