#pragma once

#include "layout/layout.h"

#include <map>
#include <string>
#include <vector>

/// Writing as finding: how an entry gets into a tensor of a layout in any order, derived from the layout's
/// relation and proved from its properties. Bitmaps set a flag; lists with a map from coordinates to
/// positions, or that may store coordinates several times, append (the sparse sets of Briggs and Torczon,
/// 1993; the workspaces of Kjolstad et al., CGO 2019, section 6).
namespace unravel::layout {

/// An element of an index array, and what it holds.
struct IndexElement {
  std::string array;
  std::vector<term::Term> slots; // one per extent
  term::Term value;
};

/// All terms are over the layout's own names: coordinates, sizes, counts, index arrays.
struct Insertion {
  /// The positions of an entry that is stored, by name; over coordinates.
  term::Substitution found;
  /// Over coordinates: is the entry stored? No array is read outside its extents. Never, where the layout
  /// stores coordinates several times, and nothing tells the positions: then each entry is another one.
  term::Term stored;
  /// Makes an entry stored that isn't: over coordinates and the count, which then grows by one. Empty: every
  /// entry has a place.
  std::vector<IndexElement> sets;
  std::string count; // empty: none grows

  /// Of the arrays among `sets` whose elements belong to coordinates, what all of them hold where nothing is
  /// stored.
  std::map<std::string, std::int64_t> nothing;
  /// With a count: the position that is new, and the elements of those arrays that the entry there has set.
  std::string position;
  std::vector<IndexElement> resets;

  /// Is each entry that is inserted another one?
  bool repeats() const { return term::is_false(stored); }
};

/// Throws cannot-insert, with a case where the prover has one, unless it is proved that the entry is stored
/// then, all others as before, and that all properties hold: with nothing stored, and after each insertion.
Insertion insertion_of(const Layout &layout);

} // namespace unravel::layout
