#pragma once

#include "layout/layout.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

/// How coordinates become the arrays of a layout: derived from its relation and properties, never from its
/// name. A plan says what packing does, level by level; pack() carries it out, emit_pack_c() prints it as C.
namespace unravel::packing {

using layout::Layout;
using term::Term;

/// What levels are told apart by: a coordinate, or one derived from several or parts of one, as floor(i / 4),
/// i mod 4, j - i. The modes of a plan together determine the coordinates.
struct Mode {
  std::string name; // stands for it where the relation is told by modes
  Term value;       // over the tensor's coordinates
  Term least, size; // over sizes: least <= value < least + size

  /// Blocks that begin anywhere: the entries of a node, by increasing value, are covered one by one with
  /// stretches of `cover` neighbouring values. The mode is the first value of an entry's stretch; `value` and
  /// the next mode (Rest) together tell the entry. 0: no cover.
  std::int64_t cover = 0;
  bool rest = false; // value minus the mode before, which is a cover

  /// Runs: entries with equal values that follow each other in one coordinate become one. The run's first
  /// value of the coordinate is a mode, and its last one or its length another; `value` is that of a run of
  /// one entry.
  enum class Run { None, First, Last, Length };
  Run run = Run::None;

  /// Is it a coordinate itself?
  bool is_coordinate() const { return is_of_entry() && value == term::variable(name); }
  /// Does it depend on nothing but the entry's own coordinate?
  bool is_of_entry() const { return cover == 0 && !rest && run == Run::None; }
};

/// One subscript of an array: the position of a level plus a constant, or a constant alone.
struct Slot {
  static constexpr std::size_t no_level = static_cast<std::size_t>(-1);
  std::size_t level = no_level;
  std::int64_t constant = 0;
};

/// An index array that holds a mode: array(slots) = (mode - offset) / sign.
struct Key {
  std::string array;
  std::vector<Slot> slots; // the level's own position is one of them
  std::size_t mode = 0;    // of the plan
  int sign = 1;            // 1 or -1
  Term offset;             // over sizes: mode = sign * array(slots) + offset
};

/// One step of an order of entries: by a mode.
struct SortKey {
  std::size_t mode = 0;
  bool descending = false; // of the mode, not of what is stored
};

/// Where entries lie at the earliest in a table of slots: each in the first slot from its home on that none
/// before it in the order has taken. The other slots are not used.
struct Home {
  std::size_t mode = 0; // of the plan: the home, counted from the table's begin; the other modes tell it
  Term at;              // the home over positions and keys, as properties have it
};

/// One position of the layout. Levels nest, mostly in the order of the positions: a node of a level is one
/// value of its position and those before.
struct Level {
  enum class Kind {
    Dense,   // one position for every value of a mode: position = sign * mode + offset
    Counted, // positions 0 .. count - 1
    Segment, // positions pointer(parents) .. pointer(parents, the last one later) - 1
    Padded,  // as many positions for every node above: 0 .. width - 1, or a segment; a node fills the first,
             // or those that its home says
    Run,     // neighbouring values of a mode: position = pointer(parent) + mode + offset - first(parent)
  };
  Kind kind = Kind::Dense;
  std::string position;

  std::size_t mode = 0; // Dense, Run: which mode
  int sign = 1;
  Term offset; // Dense, Run: over sizes and counts

  std::string count;         // Counted, Padded: of positions; Segment: likewise, where it is nothing else's
  std::int64_t width = 0;    // Padded without a count and a pointer
  std::string pointer;       // Segment, Run; Padded: where its positions are segments
  std::vector<Slot> parents; // Segment: these positions number the nodes of the level above

  std::vector<Key> keys; // Counted, Segment, Padded: at least one
  /// The order of the nodes of one segment (of all nodes for Counted): compared first to last. Entries that
  /// are equal in all of it stay in the order of the input.
  std::vector<SortKey> order;
  /// Entries with equal keys share one position. Otherwise each entry has its own: only at the last level.
  bool merge = true;
  /// Why `order` and `merge` are as they are: one line each.
  std::vector<std::string> reasons;

  /// Padded: what the keys of unused positions hold, so that the relation leaves them out. Without it they
  /// get zeros, at coordinates that have no entry.
  std::optional<Term> unused;
  std::optional<Home> home; // Padded: a hash table
  /// Padded: an array of how many positions each node fills, subscripted with all levels that number these;
  /// or none. `unused` may then be a number like any other.
  std::string lengths;
  std::vector<Slot> length_slots;

  std::string first;              // Run: an index array with the least mode of each parent; or none
  std::optional<Term> first_most; // its upper bound, over the parent's position
  std::optional<Term> length; // Run: of each, over the parent's position, sizes and `first`; else as needed

  bool is_dense() const { return kind == Kind::Dense; }
  /// Are its nodes told apart by one mode that has a position of its own?
  bool has_mode() const { return kind == Kind::Dense || kind == Kind::Run; }
  /// Does `order` have all keys?
  bool orders_keys() const {
    return std::ranges::all_of(keys, [&](const Key &key) {
      return std::ranges::any_of(order, [&](const SortKey &by) { return by.mode == key.mode; });
    });
  }
};

/// An index array that tells where entries are: `value` at the slots of those there are, `other` elsewhere.
struct Flag {
  std::string array;
  std::vector<Slot> slots;
  std::int64_t value = 1, other = 0;
};

/// A count that is the least one for which every entry satisfies count + rest >= 0.
struct Limit {
  std::string count;
  Term rest; // over coordinates, sizes and counts of limits before it
};

/// A coordinate whose values are stored in an order of their own, which packing chooses:
/// coordinate = sign * array(at) + offset. Those with most entries come first.
struct Permutation {
  std::size_t coordinate = 0; // of the tensor
  std::string name;           // the coordinate's
  std::string array;
  int sign = 1;
  Term offset;             // over sizes
  Term at;                 // over positions: the place of a value
  std::string place;       // stands for that where the relation is told by modes
  std::int64_t window = 0; // floor(array(k) / window) = floor(k / window); 0: nothing such is wanted
};

/// How the entries of one piece become arrays.
struct PiecePlan {
  std::size_t piece = 0; // of the layout
  /// Modes are told by places in place of these coordinates; `conditions` and `limits` are not.
  std::vector<Permutation> permutations;
  /// What coordinates must satisfy: formulas over coordinates and sizes. Others have no place in this piece.
  std::vector<Term> conditions;
  std::vector<Limit> limits;
  std::vector<Mode> modes;
  std::vector<Term> coordinates; // the tensor's, as terms over the modes' names
  std::vector<Level> levels;
  std::string value; // the value array; empty: every entry has the value `literal`
  double literal = 1;
  bool negative = false;
  std::vector<Slot> slots; // one per extent of the value array; none for a tensor of order 0
  std::vector<Flag> flags;
  /// A padded level of a fixed number of positions: a node's entries that find none are for the pieces
  /// behind.
  std::optional<std::size_t> spills;

  /// Whether every coordinate has a slot of its own.
  bool is_dense() const;
  /// Whether some mode is not a coordinate.
  bool is_derived() const;
};

/// Two index arrays that bound segments: begin(r) <= p < end(r), or begin(r) <= p < begin(r) + end(r) where
/// `end` holds lengths. The plan is for pointers in their place, which have the name of `begin`:
/// pointer(r) = begin(r) + begin_offset, and pointer(r + shift) is where a segment ends.
struct BoundSegments {
  std::string begin, end; // the same one: pointers that don't count from 0
  bool is_length = false;
  std::int64_t shift = 1; // of the ends' last subscript
  std::int64_t begin_offset = 0, end_offset = 0;
  std::string count; // of all positions, where it is nothing else's: the last pointer

  bool operator==(const BoundSegments &) const = default;
};

/// An entry that a piece means beside each entry of the planned one whose arrays it has, where the conditions
/// hold: all terms are over that entry's coordinates, sizes and counts that follow from sizes.
struct Implied {
  std::size_t piece = 0; // of the plan
  std::vector<Term> coordinates, conditions;
  bool negative = false;         // its value is the entry's, or that with the other sign
  std::optional<double> literal; // or this one
};

struct PackPlan {
  std::vector<BoundSegments> segments;
  /// An entry belongs to the first piece whose conditions it satisfies, and which has room for it.
  std::vector<PiecePlan> pieces;
  /// Properties of the layout (by number) that this construction doesn't imply: checked on the result.
  std::vector<std::size_t> checked;
  /// Whether some piece of the layout means entries of arrays that another piece stores, as the other half of
  /// a symmetric matrix: that the result means the entries given is checked then.
  bool compared = false;
  /// What such pieces mean, and whether that is all of it: else the result itself must be asked.
  std::vector<Implied> implied;
  bool is_implied_known = true;

  /// Are entries of one coordinate added up? Otherwise each is stored.
  bool adds_up() const {
    return std::ranges::all_of(
        pieces, [](const PiecePlan &piece) { return std::ranges::all_of(piece.levels, &Level::merge); });
  }
};

/// Throws cannot_pack (a limit, with the conjunct that defeats it). Asks the prover a few questions per
/// level.
PackPlan plan_packing(const Layout &layout);

/// The levels alone, for unpacking: without orders. Nothing where the layout has several pieces, where
/// plan_packing would refuse, and where the relation skips some of what the arrays hold.
std::optional<PiecePlan> plan_scan(const Layout &layout);

/// The plan as text; `layout` is what it was made from.
std::string to_text(const PackPlan &plan, const Layout &layout);

} // namespace unravel::packing
