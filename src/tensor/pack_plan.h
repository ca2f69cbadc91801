#pragma once

#include "layout/layout.h"

#include <optional>
#include <string>
#include <vector>

/// How coordinates become the arrays of a layout: derived from its relation and properties, never from its
/// name. A plan says what packing does, level by level; pack() carries it out, emit_pack_c() prints it as C.
namespace unravel::tensor {

/// What levels are told apart by: a coordinate, or one derived from several or parts of one, as floor(i / 4),
/// i mod 4, j - i. The modes of a plan together determine the coordinates.
struct Mode {
  std::string name;       // stands for it where the relation is told by modes
  term::Term value;       // over the tensor's coordinates
  term::Term least, size; // over sizes: least <= value < least + size

  /// Is it a coordinate itself?
  bool is_coordinate() const { return value == term::variable(name); }
};

/// An index array that holds a mode: array(position) = (mode - offset) / sign.
struct Key {
  std::string array;
  std::size_t mode = 0; // of the plan
  int sign = 1;         // 1 or -1
  term::Term offset;    // over sizes: mode = sign * array(position) + offset
};

/// One step of an order of entries: by a mode.
struct SortKey {
  std::size_t mode = 0;
  bool descending = false; // of the mode, not of what is stored
};

/// One subscript of an array: position of a level, plus a constant.
struct Slot {
  std::size_t level = 0;
  std::int64_t constant = 0;
};

/// One position of the layout. Levels nest in the order of the positions: a node of a level is one value of
/// its position and those before.
struct Level {
  enum class Kind {
    Dense,   // one position for every value of a mode: position = sign * mode + offset
    Counted, // positions 0 .. count - 1
    Segment, // positions pointer(parents) .. pointer(parents, the last one later) - 1
  };
  Kind kind = Kind::Dense;
  std::string position;

  std::size_t mode = 0; // Dense: which mode
  int sign = 1;
  term::Term offset; // Dense: over sizes

  std::string count;         // Counted; Segment: the number of positions, where it is nothing else's
  std::string pointer;       // Segment
  std::vector<Slot> parents; // Segment: these positions number the nodes of the level above

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

struct PackPlan {
  std::vector<Mode> modes;
  std::vector<term::Term> coordinates; // the tensor's, as terms over the modes' names
  std::vector<Level> levels;
  std::string value; // the value array
  bool negative = false;
  std::vector<Slot> slots; // one per extent of the value array; none for a tensor of order 0
  /// Properties of the layout (by number) that this construction doesn't imply: checked on the result.
  std::vector<std::size_t> checked;

  /// Whether every coordinate has a slot of its own.
  bool is_dense() const;
  /// Whether some mode is not a coordinate.
  bool is_derived() const;
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
