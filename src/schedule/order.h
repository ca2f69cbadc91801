#pragma once

#include "combine/space.h"
#include "parse/tree.h"

#include <map>
#include <set>
#include <string>
#include <vector>

/// Loop orders: in which order the variables of an iteration space get their values.
namespace unravel::schedule {

/// What is known of the data, by qualified name: sizes ("A.M") and counts ("A.NNZ"); for a pointer array
/// ("A.rowptr") the mean length of its segments; for the array of a segment's keys ("A.col.reach") the part
/// of their range that lies between the first one and the last. Names without an entry get defaults (see
/// order.cpp).
using Counts = std::map<std::string, double>;

/// All variables of a space, outermost first. Each is determined or bounded by those before it.
using Order = std::vector<std::string>;

/// Finds for which no template could be proved that relies on an order of their keys: the index-array
/// applications that the find's equations fix, as texts, sorted ("A.col(A.p)").
enum class Unordered { Scanned, Hashed };
using Scans = std::map<std::vector<std::string>, Unordered>;

/// The order of least estimated cost. The estimate counts visits: a loop multiplies the visits by its trip
/// count, a find costs the logarithm of its range (its range, if it is a scan; its part of filling the map,
/// if it is hashed) and lets a part of the visits through, an assignment is free. Equal costs are decided by
/// the order of the result's coordinates and by unit strides in the innermost loop. Loops over blocks of rows
/// stand outside unless that costs cost::gain_of_blocks times as much. Which finds are scans only proofs tell,
/// and these need an order: plan, prove, and plan again with the scans. Exponential in the number of loops
/// (pruned); fails with a limit when no order exists. `found`: tensors ("x") or variables
/// ("x.p") that the user wants found: their innermost position is not looped over, if there is such an order.
/// `first`: what the order begins with, as far as the space has it and it is bounded there.
Order plan_order(const combine::IterationSpace &space, const Counts &counts, const Scans &scans = {},
                 const std::set<std::string> &found = {}, const std::vector<parse::Name> &first = {});

/// The cost that plan_order would estimate for an order of these data, in visits of a loop.
double cost_of(const combine::IterationSpace &space, const Order &order, const Counts &counts);
double cost_of(const combine::IterationSpace &space, const Order &order, const Counts &counts,
               const Scans &scans);

/// Estimated trip counts of the variables of an order that are neither determined nor eliminated: loops per
/// visit, or the range of a find.
std::map<std::string, double> trip_counts(const combine::IterationSpace &space, const Order &order,
                                          const Counts &counts);

/// A schedule names a variable that none of these is.
/// Fails with kind duplicate_name.
void require_each_once(const std::vector<parse::Name> &order);
[[noreturn]] void fail_unknown_variable(const parse::Name &name, const std::vector<std::string> &variables);

/// Is each of these variables, where the space has it, bounded by those before it?
bool is_bounded(const combine::IterationSpace &space, const std::vector<parse::Name> &given);

/// The order that a list gives, completed by the variables that follow from those in it, and by what it
/// doesn't mention. Names with a span are a user's: unknown ones, and variables that are not bounded at their
/// place, are mistakes. Those without are proposals, taken as soon as they are bounded.
Order complete_order(const combine::IterationSpace &space, const std::vector<parse::Name> &given);

} // namespace unravel::schedule
