#pragma once

#include "find/obligations.h"

/// State indices: per values of which outer variables a walking position is kept, and where the scalar that
/// keeps it is declared. (Zhao et al., section A.3: start from all, drop while the proofs hold.)
namespace unravel::find {

/// Drops variables from `state` while O-persist and O-init (with `clamp`: O-clamp) stay proved. The result
/// depends on the order; see `drop_orders`.
Variables drop_variables(Obligations &obligations, Direction direction, const Skip &skip, Variables state,
                         const Variables &order, bool clamp);

/// The orders in which dropping is tried. First: per iterating level, from the inner to the outer, its
/// variable before the variables it determines (COO: {p, i, j} -> {i}). Second: all determined variables
/// first, then finds, then loops (a diagonal's loop d, i: {d, i, j} -> {i}).
std::vector<Variables> drop_orders(const Obligations &obligations);

/// The outer variables without copies of others: what dropping starts from.
Variables state_variables(const Obligations &obligations);

/// States that are mostly right, to be tried before dropping from all: the variables that fix the start, and
/// the prefixes of the iterating variables that contain these (a scalar serves them).
std::vector<Variables> likely_states(const Obligations &obligations, Direction direction);

/// Whether something between `end` and the find may turn an iteration away: a guard, or a find.
bool is_tested(const Obligations &obligations, std::size_t end);

/// The term over variables of levels [0, before) only, if it can be computed there: seen through Lets and
/// through direct finds without a test. An array must not be read before the tests that may keep the index
/// within it, unless the scan knows that it is safe, nor outside a loop that changes it.
std::optional<term::Term> computed_before(const Obligations &obligations, term::Term term,
                                          std::size_t before);

/// Where a state is declared.
struct Place {
  std::size_t level = 0;
  term::Term start;
};

/// The place of a state that starts at the level's bound, if one scalar serves: its variables lie outside the
/// place, fix the iterating variables outside the place, and the start can be computed there.
std::optional<Place> place_state(Obligations &obligations, Direction direction, const Variables &state);
/// The same for a clamped state: it starts where no segment starts before it, upwards at 0 (O-zero),
/// downwards below a size that no segment exceeds (O-high).
std::optional<Place> place_clamped(Obligations &obligations, Direction direction, const Variables &state);

/// An array of states.
struct ArrayPlace {
  Place place;
  bool clamp = false;
  std::vector<term::Term> index, extent, room; // as LevelPlan's state_index, state_extent and state_room
};

/// The place of an array over the variables of the state that are not fixed outside it: as far inside as
/// visits with the same state share it. The range of each such variable must be known there: a loop's from
/// its bounds, with a size that it never exceeds (O-room), or any variable's from a size (O-range). No array
/// where a start for all slots isn't known.
std::optional<ArrayPlace> place_array(Obligations &obligations, Direction direction, const Variables &state);

/// Whether the loops inside the place make a constant number of visits while the segment's length is not
/// constant: each walk over the segment would serve only these.
bool serves_few(const Obligations &obligations, const Place &place);

} // namespace unravel::find
