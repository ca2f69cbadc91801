#pragma once

#include "packing/pack_c_text.h"

#include <set>

namespace unravel::packing {

/// One comparison of a sort: a member of an entry.
struct KeyComparison {
  std::string member;
  bool descending = false;
};

/// Writes what packs one piece: its permutations (pack_c_places.cpp), entries (pack_c_entries.cpp,
/// pack_c_changes.cpp), arrays (pack_c_arrays.cpp) and positions (pack_c_piece.cpp). `before`: the plans of
/// the pieces that take their entries first; `suffix` tells the names of its functions from those of other
/// pieces. `left`: where some piece spills, an array of a number for each entry, whose bit k is set where the
/// k-th of them has left it to those behind. The plans and the text must outlive it.
class PieceWriter {
public:
  PieceWriter(const PiecePlan &plan, const std::string &suffix, std::vector<const PiecePlan *> before,
              const std::string &left, PackCText &c);

  /// How many members `index` of an entry has at least, where permutations are chosen.
  static constexpr std::size_t members_of_places = 2;

  /// Functions that compare entries; nothing where none are sorted.
  void write_comparisons();
  /// How many groups an entry is in, after write_comparisons().
  std::size_t groups() const { return groups_.size(); }
  /// Counts that are as large as some entry wants them.
  void write_limits();
  /// Arrays from entries.
  void write();

private:
  /// Are other entries packed than those that are given?
  bool is_partial() const;

  /// A loop over the entries of the input that belong to this piece.
  void open_own_entries();

  std::string coordinate(std::size_t mode) const { return fmt::format("{}[{}].index[{}]", entry_, e_, mode); }
  std::string opens() const { return fmt::format("{}[{}].opens", entry_, e_); }

  /// Has the entry another value of one of the level's modes than the one before?
  std::string differs(const Level &level) const;

  // ---- permutations

  void write_place_comparisons();
  /// Chooses the n-th permutation: its array, and the place of each value.
  void write_permutation(std::size_t n);
  /// How many entries of each value of a coordinate are stored.
  void write_stored_counts(const Permutation &permutation, const std::string &counts);

  // ---- sorting

  void write_comparison(const std::string &name, const std::vector<KeyComparison> &comparisons);

  /// What level l is sorted by. Groups of entries that keep the input's order are found by sorting first (see
  /// order_entries); so are blocks that begin anywhere.
  void add_comparisons(std::size_t l, std::vector<KeyComparison> &sorted);

  void sort(const std::string &comparison, const std::string &entries, const std::string &count);
  void sort_by(const std::string &comparison) { sort(comparison, entry_, n_); }

  std::string same_as_before(const std::vector<KeyComparison> &members) const;

  void write_entries();

  /// Blocks begin at the first entry that none before covers.
  void write_cover();

  /// What entries of a run come together by; nothing where the plan has no runs.
  void add_run_comparison();

  /// Entries of a run become one: after equal ones have been added up.
  void write_joined_runs();

  /// Does nothing but zeros at other coordinates fill the positions of the last level?
  bool is_filled_up() const;
  std::vector<KeyComparison> node_comparisons() const;

  /// Adds the zeros: see pad_entries.
  void write_zeros();
  std::string write_fill();

  /// Entries that share a position get the number of the first of them.
  void write_group(std::size_t group);

  /// Leaves out those that find no position.
  void write_spilling();

  void write_openings();

  /// Sets the counter of a level's positions, declaring it the first time.
  void start(std::size_t l, int value);

  // ---- arrays

  /// Declares a pointer to `count` elements of zeros, which is freed in the end and where packing fails.
  void hold(const std::string &pointer, const std::string &type, const std::string &count);

  /// Frees it now.
  void release(const std::string &pointer);

  void fail(int code);
  void fail_if(const std::string &condition, int code = 1);

  /// Allocates arrays, then checks all of them at once.
  void allocate(const std::vector<std::string> &arrays);

  void fill(const std::string &array, const std::string &value);

  /// slot of an array, from the positions of the levels
  std::string slot_text(const std::string &name, const std::vector<Slot> &slots) const;

  std::string stored_value(const std::string &text) const;

  void write_dense();

  void write_pointers();

  void sum_pointers(const Level &level);

  std::string dense_position(std::size_t l) const;

  /// The slot of a level's parent, which is dense and the only one, in the pointer.
  std::string parent_slot(const Level &level, std::int64_t later) const;

  /// Counts the children of each node, then adds up.
  void write_pointer(std::size_t l);

  /// As many positions as any node fills: of all, or of each segment.
  void write_width(std::size_t l);

  /// As sum_pointers, but the sum may be more than there are entries.
  void add_up_widths(const Level &level);

  /// Where each run begins, and how long it is.
  void write_runs(std::size_t l);

  // ---- positions

  void write_positions();

  void write_run_position(std::size_t l);

  void open_node(std::size_t l);

  void write_keys(std::size_t l);

  const PiecePlan &plan_;
  std::string suffix_;
  std::vector<const PiecePlan *> before_;
  std::string left_;
  PackCText &c_;
  const layout::Layout &layout_;
  std::string e_, k_, entry_, n_;
  std::vector<std::string> nodes_, places_;
  std::vector<std::string> held_; // local pointers
  std::set<std::size_t> started_; // levels whose counter is declared
  std::vector<std::vector<KeyComparison>> groups_;
  std::vector<KeyComparison> run_;
  std::pair<std::size_t, std::vector<KeyComparison>> cover_; // the mode, and what it is sorted by
};

} // namespace unravel::packing
