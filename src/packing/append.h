#pragma once

#include "layout/insertion.h"
#include "layout/layout.h"
#include "packing/pack_plan.h"

#include <optional>
#include <string>
#include <vector>

/// How a tensor is assembled entry by entry: each comes behind all others in the layout's order, so that its
/// positions are counters. Derived from the plan of packing, as whose levels they are the same. (The assembly
/// of Kjolstad et al., CGO 2019, section 3, and of Chou et al., OOPSLA 2018, section 4, from a relation.)
namespace unravel::packing {

/// One position, of an entry that comes next. All terms are over the layout's names: coordinates, sizes, and
/// positions of the levels before.
struct AppendLevel {
  std::string position;

  /// Computed: the position of a coordinate, or of part of one, in [0, extent).
  term::Term value;
  term::Term extent;

  /// Counted: nodes are numbered in the order in which they come; `count` is the layout's count of them.
  /// Empty: the position is computed.
  std::string count;
  std::vector<std::string> arrays;        // those whose extents grow with the count
  std::vector<layout::IndexElement> keys; // what tells nodes apart that have the same node above
  /// Of counted nodes in segments: those of the node `parent` above begin at pointer(parent). That level.
  std::string pointer;
  std::size_t parent = 0;
  /// Where two arrays bound segments, or one whose elements don't count from 0, these tell the pointers:
  /// `pointer` is the array of begins then.
  std::optional<BoundSegments> bounds;

  bool is_counted() const { return !count.empty(); }
};

/// One step of an order of entries.
struct AppendOrder {
  term::Term value; // over coordinates
  bool descending = false;
};

struct Append {
  std::vector<AppendLevel> levels;
  std::size_t last = 0; // the last counted one; those behind it number the values of one node

  /// Entries must come so that these don't decrease, compared from the first to the last. Those from `loose`
  /// on needn't, if no two entries are of one coordinate: each is a node of its own.
  std::vector<AppendOrder> order;
  std::size_t loose = 0;
  /// Entries of one coordinate are one, whose value is their sum.
  bool merges = true;
  std::vector<term::Term> conditions; // over coordinates: which entries have a place

  std::string value;             // the value array
  std::vector<term::Term> slots; // of an entry's value: over positions
};

/// Throws cannot_append where entries can't be appended to the layout, whatever their order is.
Append append_of(const layout::Layout &layout);

} // namespace unravel::packing
