#pragma once

#include "packing/pack_order.h"

#include <set>

namespace unravel::packing {

/// What the pieces of a layout determine together, one after the other.
struct Determined {
  /// Which parts of them: by the constants among their subscripts, as in idx(p, 0) and idx(p, 1).
  using Part = std::vector<std::optional<std::int64_t>>;
  std::map<std::string, std::set<Part>> arrays;
  std::set<std::string> counts;
  std::set<std::size_t> properties; // that hold of what is stored
};

/// How the entries of one piece become arrays. `scanning`: the levels alone, as plan_scan wants them. Throws
/// cannot_pack.
PiecePlan plan_piece(const layout::Layout &layout, std::size_t piece, bool scanning, Determined &determined);

/// What packing by a plan ensures of index arrays, whatever the entries: ranges and order of keys, how unused
/// positions are marked, where segments begin, what is behind a node without room. For proofs that a layout's
/// properties need not be checked.
std::vector<prove::Axiom> ensured_by(const PackPlan &plan, const layout::Layout &layout);

/// The part of it about two pieces: entries that `plan` could have are in the piece `behind` only where their
/// node has no position left; then all its positions hold entries that come before in the level's order.
void add_spilled(const PiecePlan &plan, const PiecePlan &behind, const layout::Layout &layout,
                 std::vector<prove::Axiom> &axioms);

} // namespace unravel::packing
