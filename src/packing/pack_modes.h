#pragma once

#include "packing/pack_plan.h"

/// Derived coordinates: what the positions of a layout stand for where that is not a coordinate itself, as
/// floor(i / 4) and i mod 4 in a layout of blocks, or j - i in one of diagonals.
namespace unravel::packing {

/// A relation told by modes instead of coordinates.
struct DerivedRelation {
  std::vector<Mode> modes;
  /// The coordinates as terms over the modes' names: equal to the coordinates, whatever these are.
  std::vector<term::Term> coordinates;
  std::vector<term::Term> conjuncts; // over positions and the modes' names
};

/// What is so of the two modes of a run.
term::Term run_has_entries(const Mode &first, const Mode &end);

/// Rewrites the relation of a piece until every equation has one mode, as far as this is possible:
///   i = R*u + v, v one of R neighbouring integers   becomes   u = floor(i / R) and v = i mod R;
///   j = i + u, i determined elsewhere               becomes   u = j - i;
///   j = start(p) + v, v one of C neighbouring integers   becomes a cover of j, see Mode;
///   first(p) <= j < stop(p)                              becomes two modes of runs of j.
/// These are equivalences, so nothing is lost where the rest can't be planned. A relation in which nothing is
/// derived is returned as it is, with the coordinates as modes; of permuted coordinates their places.
DerivedRelation derive_modes(const layout::Layout &layout, const layout::Piece &piece,
                             const std::vector<Permutation> &permutations = {});

} // namespace unravel::packing
