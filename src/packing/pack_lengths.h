#pragma once

#include "packing/pack_order.h"

/// Padded levels of which an array says how many positions each node fills: 0 <= s < lengths(r).
namespace unravel::packing {

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
