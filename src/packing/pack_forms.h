#pragma once

#include "packing/pack_order.h"

#include <span>

/// Forms of terms that a planner of packing looks for.
namespace unravel::packing {

/// The only mode that occurs in a term, outside applications and with coefficient 1 or -1.
struct ModeUse {
  std::size_t mode = 0;
  std::int64_t coefficient = 0;
};

std::optional<ModeUse> mode_of(const term::Term &term, const std::vector<Mode> &modes);

/// A subscript that is a level's position, but for a constant.
std::optional<Slot> slot_of(const term::Term &term, const std::vector<Level> &levels);
/// Subscripts: of the levels, of the one to come after them (`position`), and constants.
std::optional<std::vector<Slot>> slots_of(const std::vector<term::Term> &subscripts,
                                          const std::vector<Level> &levels, const std::string &position);

/// The levels whose positions together number the nodes of the last one: the last keyed one, which numbers
/// its nodes by itself, and the dense ones below it; with a padded one those above it too, but for those that
/// its segments tell.
std::vector<std::size_t> numbering_levels(std::span<const Level> levels);

/// Bounds on a position: low <= position < high, and which conjuncts say so.
struct Bounds {
  std::size_t low_part, high_part;
  term::Term low, high;
};
std::vector<Bounds> bounds_of(const std::string &position, const std::vector<term::Term> &conjuncts);

/// pointer(..., parent) <= position < pointer(..., parent + 1), the subscripts being the positions of these
/// levels but for constants: sets a level's pointer and parents.
bool set_pointer(Level &level, const Bounds &bounds, const std::vector<Level> &levels,
                 const std::vector<std::size_t> &numbering);

/// position = pointer(parent) + mode + offset, or that less first(parent): sets mode, offset and first of a
/// level that has its pointer and parent. `pointer`: the application that the segment begins with.
bool set_run(Level &level, const term::Term &equation, const term::Term &pointer, const PiecePlan &plan);

/// pointer(r + 1) = pointer(r) + length and first(r) <= most, where properties say so.
void set_length(Level &level, const layout::Layout &layout, const std::vector<Level> &levels);

/// Whether some property compares a position with what is read there: h(key(p)) <= p.
bool states_homes(const layout::Layout &layout);

/// A number for an element with which a condition that mentions nothing else holds, or fails: 1 or 0 where
/// these do, else one next to a number that it compares with. None where there is no such one, or other
/// things are mentioned.
std::optional<std::int64_t> number_for(const term::Term &element, const term::Term &condition, bool holds);

/// Padded levels of which an array says how many positions each node fills: 0 <= s < lengths(r).

/// Is a position below an element of an array?
bool has_length_bound(const std::string &position, const std::vector<term::Term> &conjuncts);

/// position < begin + lengths(all that number the nodes of `levels`): sets the level's lengths. Which
/// conjunct says so, if one does.
std::optional<std::size_t> set_lengths(Level &level, const std::vector<term::Term> &conjuncts,
                                       const term::Term &begin, const std::vector<Level> &levels);

/// An array that has a position among its subscripts, and its extent there.
struct Place {
  std::string array;
  term::Term extent;
};
/// Those of the relation come first.
std::vector<Place> places_of(const std::string &position, const layout::Piece &piece,
                             const layout::Layout &layout);

/// What all keys may hold where positions are not used, if there is such a number.
std::optional<term::Term> filler_of(const Level &level, const std::vector<Mode> &modes, PackOrders &orders);

/// What is wrong where an array of segments or lengths doesn't have all subscripts that number the nodes of
/// `levels`, if anything.
std::optional<std::string> wrong_subscripts(const std::string &position,
                                            const std::vector<term::Term> &conjuncts,
                                            const std::vector<Level> &levels);

} // namespace unravel::packing
