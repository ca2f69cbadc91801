#pragma once

#include "packing/pack_plan.h"

#include <utility>
#include <vector>

/// Coordinates in an order of their own: i = row(k), where packing chooses the permutation `row`.
namespace unravel::packing {

/// A piece whose relation is told by places (Permutation::place) instead of the coordinates that are
/// permuted.
struct PlacedPiece {
  layout::Piece piece;
  std::vector<Permutation> permutations;
};

/// The piece without positions that are sums of others and number no values, as k in k = 8*b + r; as it is
/// where there are none.
layout::Piece without_sums(const layout::Layout &layout, const layout::Piece &piece);

/// Finds the permutations that packing may choose in a piece, told without_sums. A coordinate is permuted
/// where one equation of the relation has it, as sign * array(e) + offset; the array is proved to be
/// injective and has as many elements as the coordinate has values; and no position in e is determined by
/// another equation with a coordinate. What remains of the relation about the coordinate is told by the
/// array. A piece without either is returned as it is.
PlacedPiece tell_places(const layout::Layout &layout, const layout::Piece &piece);

/// What a permutation stores, as a key: the coordinate, a mode of its own.
std::pair<Mode, Key> stored_by(const Permutation &permutation, const layout::Layout &layout);

/// Do entries with equal coordinates share a position?
bool shares_positions(const PiecePlan &plan);

/// The plan for entries whose permuted coordinates have become places.
PiecePlan plan_of_places(PiecePlan plan);

} // namespace unravel::packing
