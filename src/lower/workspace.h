#pragma once

#include "combine/space.h"
#include "loop/loop.h"
#include "lower/lower.h"
#include "lower/members.h"

#include <functional>

/// The arrays that a program's maps and states need.
namespace unravel::lower {

/// The names of a map's arrays.
struct MapArrays {
  std::string map;  // by key what the map holds, or by hash the first position
  std::string more; // marks by key, or by position the next one of its hash; empty where there is none
};

/// Of a sorted loop: its values, their keys, and room to sort them.
struct SortArrays {
  std::string order, keys, room;
  bool grow = false;       // then room is reserved for them
  int room_of_each = 0;    // value: the elements of `room`
  std::string begins = {}; // by key, where the keys' extents are known: it grows
};

/// Leaves, and alternatives of a leaf, share what is kept in one way.
class Workspace {
public:
  Workspace(const combine::Combination &combination, const std::vector<loop::TensorParameter> &parameters,
            const LowerOptions &options)
      : combination_(combination), parameters_(parameters), index_(options.index), dropped_(options.dropped) {
  }

  /// The arrays of the map of a find. `value`: the operand's element where the map holds values.
  /// `leaf`: whose map it is, where others in the same loop keep theirs, too.
  MapArrays add_map(const scan::Level &level, const plan::LevelPlan &plan, const loop::Element &value,
                    bool per_thread, std::optional<int> leaf = {});

  /// The array of a find's states; returns its name. `leaf`: likewise.
  std::string add_states(const scan::Level &level, const plan::Walk &walk, bool per_thread,
                         std::optional<int> leaf = {});

  /// The array of the next values of a loop that its walks meet (jump.h); `none`: more than any value.
  std::string add_next(const scan::Level &level, const plan::Walk &walk, bool per_thread, std::int64_t &none);

  /// An array of values of these extents; returns its name. Those of the same name and extents share it: of
  /// hoists those further in have fewer modes.
  std::string add_values(const std::string &name, const std::vector<term::Term> &extents, bool per_thread,
                         std::string about, loop::ElementType type);

  /// The array that says where the next entry of each of the result's segments goes; returns its name. None:
  /// it grows, for the parts of as many threads as there are.
  std::string add_next_of_segments(const std::string &result, const std::string &position,
                                   const std::optional<term::Term> &segments);
  /// And, where these count by themselves, the one that says how many entries each part has.
  std::string add_entries_of_parts(const std::string &result, const std::string &position);

  /// The arrays of a loop that is sorted.
  SortArrays add_sorted(const scan::Level &level, const plan::SortedLoop &plan, bool per_thread);

  /// The arrays of a local tensor.
  void add_local(const combine::LocalTensor &local, bool per_thread);
  /// Of a local tensor that was added, if it has some; else null.
  const Members *members(const std::string &tensor) const;
  const combine::Combination &combination() const { return combination_; }

  /// The value of entries of an assembled result that are dropped; or none are.
  std::optional<double> dropped_of(const std::string &result) const;

  std::vector<loop::WorkspaceArray> take() { return std::move(arrays_); }

private:
  /// Returns the array's name: another number behind it for each way in which arrays of that name are kept.
  std::string add(loop::WorkspaceArray array);
  /// An array that holds anything at first.
  std::string add_scratch(std::string name, loop::ElementType element, term::Term extent, bool per_thread,
                          std::string about, bool is_value = false);
  void add_members(const combine::LocalTensor &local, bool per_thread);
  MapArrays add_hash(const scan::Level &level, const plan::HashMap &map, bool per_thread,
                     const std::string &own);
  /// The extent of an array that these terms read at what `is_wanted` says of an argument.
  term::Term extent_of_read(const std::vector<term::Term> &terms,
                            const std::function<bool(const term::Term &)> &is_wanted) const;
  /// Is it 0, or an element of 32 bits?
  bool is_small(const term::Term &bound) const;
  /// As many as there are elements, which one mode has no more of than an index may be.
  loop::ElementType element_of_positions(const combine::LocalTensor &local) const;
  loop::ElementType element_of(const std::string &of) const;
  loop::ElementType state_element(const scan::Level &level, const plan::Walk &walk) const;

  const combine::Combination &combination_;
  const std::vector<loop::TensorParameter> &parameters_;
  loop::ElementType index_; // of index arrays, which holds any position
  std::map<std::string, double> dropped_;
  std::vector<loop::WorkspaceArray> arrays_;
  std::map<std::string, Members> members_; // by local tensor
};

} // namespace unravel::lower
