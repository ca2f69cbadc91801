#pragma once

#include "find/planner.h"
#include "plan/leaf.h"
#include "scan/tree.h"

#include <string>
#include <vector>

/// Loops that are merged: local tensors in which ordered lists of coordinates are united.
namespace unravel::choose {

/// The time for a coordinate grows with the number of ranges, a list's hardly (measured: docs/choice.md).
constexpr std::size_t most_merged = 6;

/// Has each of its entries a position, in the order in which they came, and one mode?
bool lists_entries(const combine::LocalTensor &local);

/// What was found out of a local tensor that lists its entries.
struct MergedLocal {
  std::string local;
  std::vector<std::string> ranges; // "A.p by A.col: O-rise(A.p) proved"
  std::string hindrance;           // why its loops aren't merged; empty: they are
};

/// Of each local with one mode that lists its entries. Its loops are merged where one statement after the
/// other adds to it, each over positions of which an array holds the coordinates, in strictly increasing
/// order (O-rise), and then one reads it and nothing else does: each element is complete when all ranges are
/// behind it. The list, and what sorts it, isn't needed then. Sets plan::LeafPlan's `merged`.
///
/// Each statement executes its instances in the same order as before, and those that add touch nothing that
/// another one writes; that which reads comes to the coordinates in increasing order, in which the list may
/// have been as well.
std::vector<MergedLocal> merge_loops(const combine::Combination &combination,
                                     const std::vector<plan::LeafPlan *> &plans,
                                     const std::vector<scan::Node> &tree, prove::Prover &prover);

std::string to_text(const std::vector<MergedLocal> &locals);

} // namespace unravel::choose
