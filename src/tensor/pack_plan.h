#pragma once

#include "layout/layout.h"

#include <optional>
#include <string>
#include <vector>

/// How coordinates become the arrays of a layout: derived from its relation and properties, never from its
/// name. A plan says what packing does, level by level; pack() carries it out, emit_pack_c() prints it as C.
namespace unravel::tensor {

/// An index array that holds a coordinate: array(position) = (coordinate - offset) / sign.
struct Key {
  std::string array;
  std::size_t mode = 0; // of the tensor: which coordinate
  int sign = 1;         // 1 or -1
  term::Term offset;    // over sizes: coordinate = sign * array(position) + offset
};

/// One step of an order of entries: by a coordinate.
struct SortKey {
  std::size_t mode = 0;
  bool descending = false; // of the coordinate, not of what is stored
};

/// One position of the layout. Levels nest in the order of the positions: a node of a level is one value of
/// its position and those before.
struct Level {
  enum class Kind {
    Dense,   // one position for every coordinate: position = sign * coordinate + offset
    Counted, // positions 0 .. count - 1
    Segment, // positions pointer(before + shift) .. pointer(before + shift + 1) - 1, `before`: the last
             // level's
  };
  Kind kind = Kind::Dense;
  std::string position;

  std::size_t mode = 0; // Dense: which coordinate
  int sign = 1;
  term::Term offset; // Dense: over sizes

  std::string count;      // Counted
  std::string pointer;    // Segment
  std::int64_t shift = 0; // Segment

  std::vector<Key> keys; // Counted and Segment: at least one
  /// The order of the nodes of one segment (of all nodes for Counted): compared first to last. Entries that
  /// are equal in all of it stay in the order of the input.
  std::vector<SortKey> order;
  /// Entries with equal keys share one position. Otherwise each entry has its own: only at the last level.
  bool merge = true;
  /// Why `order` and `merge` are as they are: one line each.
  std::vector<std::string> reasons;

  bool is_dense() const { return kind == Kind::Dense; }
};

/// One subscript of the value array: position of a level, plus a constant.
struct Slot {
  std::size_t level = 0;
  std::int64_t constant = 0;
};

struct PackPlan {
  std::vector<Level> levels;
  std::string value; // the value array
  bool negative = false;
  std::vector<Slot> slots; // one per extent of the value array; none for a tensor of order 0
  /// Properties of the layout (by number) that this construction doesn't imply: checked on the result.
  std::vector<std::size_t> checked;

  /// Whether every coordinate has a slot of its own.
  bool is_dense() const;
};

/// Throws cannot_pack (a limit, with the conjunct that defeats it). Asks the prover a few questions per
/// level.
PackPlan plan_packing(const layout::Layout &layout);

/// The levels alone, for unpacking: without orders and `checked`. Nothing where plan_packing would refuse,
/// and where the relation skips some of what the arrays hold.
std::optional<PackPlan> plan_scan(const layout::Layout &layout);

/// The plan as text; `layout` is what it was made from.
std::string to_text(const PackPlan &plan, const layout::Layout &layout);

} // namespace unravel::tensor
