#include "convert/pack.h"

#include "convert/mode_values.h"
#include "convert/pack_levels.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unravel::convert {

using report::Kind;

namespace {

/// The nodes of one level, all at once: the position and coordinates of each, of the levels above too.
class Unpacker {
public:
  Unpacker(const Tensor &tensor, const PiecePlan &plan, std::int64_t max_memory)
      : tensor_(tensor), plan_(plan), numbers_(level_numbers(plan, tensor)), max_memory_(max_memory) {
    for (const Mode &mode : plan.modes)
      entries_.shape.push_back(range_of(mode, tensor).size);
    entries_.index.resize(entries_.shape.size());
    positions_.resize(plan.levels.size());
  }

  Coordinates unpack() {
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      if (plan_.levels[l].is_dense())
        expand_dense(l);
      else
        expand_keyed(l);
    }
    if (plan_.is_derived()) drop_outside();
    read_values();
    return std::move(entries_);
  }

private:
  /// From modes to coordinates: those that lie outside the tensor, as the padding of blocks at its borders,
  /// are not part of it.
  void drop_outside() {
    std::vector<std::size_t> kept;
    entries_ = from_modes(entries_, plan_, tensor_, kept);
    for (std::vector<std::int64_t> &position : positions_) {
      if (position.size() != nodes_) continue; // no longer of use
      for (std::size_t n = 0; n < kept.size(); ++n)
        position[n] = position[kept[n]];
    }
    nodes_ = kept.size();
  }

  [[noreturn]] void fail_outside(const std::string &what) const {
    report::fail(Kind::outside_array,
                 fmt::format("the arrays of layout `{}` don't fit together: {}", tensor_.layout.name, what));
  }

  /// Refuses more nodes than the memory allows.
  void check_count(std::int64_t count) const {
    if (count < 0) fail_outside("a size or count is negative");
    auto columns = static_cast<std::int64_t>(entries_.order() + plan_.levels.size() + 1);
    if (count <= max_memory_ / (8 * columns)) return;
    report::fail(Kind::memory_limit,
                 fmt::format("the entries of layout `{}` take more memory than the {} allowed",
                             tensor_.layout.name, data::memory_text(max_memory_)),
                 "raise the limit with --max-memory");
  }

  /// Node n of the level above becomes count(n) nodes: its numbers are repeated, where they are still of use.
  template <class Count> void repeat(std::size_t l, std::int64_t total, Count count) {
    auto repeat_column = [&](std::vector<std::int64_t> &column) {
      if (column.empty()) return;
      std::vector<std::int64_t> longer(static_cast<std::size_t>(total));
      std::size_t at = 0;
      for (std::size_t node = 0; node < nodes_; ++node) {
        auto copies = static_cast<std::size_t>(count(node));
        std::fill_n(longer.begin() + static_cast<std::ptrdiff_t>(at), copies, column[node]);
        at += copies;
      }
      column = std::move(longer);
    };
    for (std::vector<std::int64_t> &column : entries_.index)
      repeat_column(column);
    for (std::size_t above = 0; above < l; ++above)
      if (is_in_slot(above, l)) repeat_column(positions_[above]);
  }

  /// Whether an array is subscripted with a level's position: the value array, or a pointer of a level after
  /// `current`.
  bool is_in_slot(std::size_t level, std::size_t current) const {
    auto has = [level](const std::vector<Slot> &slots) {
      return std::ranges::any_of(slots, [&](const Slot &slot) { return slot.level == level; });
    };
    return has(plan_.slots) ||
           std::any_of(plan_.levels.begin() + static_cast<std::ptrdiff_t>(current) + 1, plan_.levels.end(),
                       [&](const Level &below) { return has(below.parents); });
  }

  void expand_dense(std::size_t l) {
    const Level &level = plan_.levels[l];
    std::int64_t size = entries_.shape[level.mode], total = 0;
    if (__builtin_mul_overflow(static_cast<std::int64_t>(nodes_), size, &total)) total = INT64_MAX;
    check_count(total);
    repeat(l, total, [size](std::size_t) { return size; });
    std::vector<std::int64_t> &index = entries_.index[level.mode], &position = positions_[l];
    index.resize(static_cast<std::size_t>(total));
    position.resize(static_cast<std::size_t>(total));
    // By position, which descends in the coordinate where the sign is negative.
    for (std::size_t n = 0; n < index.size(); ++n) {
      auto step = static_cast<std::int64_t>(n) % size;
      index[n] = level.sign > 0 ? step : size - 1 - step;
      position[n] = level.sign * index[n] + numbers_[l].offset;
    }
    nodes_ = index.size();
  }

  void expand_keyed(std::size_t l) {
    const Level &level = plan_.levels[l];
    std::vector<std::int64_t> &position = positions_[l];
    if (level.kind == Level::Kind::Counted) {
      std::int64_t count = tensor_.counts.at(level.count);
      check_count(count);
      position.resize(static_cast<std::size_t>(count));
      for (std::size_t n = 0; n < position.size(); ++n)
        position[n] = static_cast<std::int64_t>(n);
    } else {
      expand_segments(l);
    }
    nodes_ = position.size();
    for (std::size_t k = 0; k < level.keys.size(); ++k)
      with_integers(tensor_.array(level.keys[k].array), [&](auto array) {
        read_key(level, level.keys[k], numbers_[l].key_offsets[k], array, position);
      });
  }

  void expand_segments(std::size_t l) {
    const Level &level = plan_.levels[l];
    const Elements &pointers = tensor_.array(level.pointer);
    std::vector<std::int64_t> extents = extents_of(level.pointer), subscripts(level.parents.size());
    std::vector<std::int64_t> begin(nodes_), end(nodes_);
    std::int64_t total = 0;
    for (std::size_t n = 0; n < nodes_; ++n) {
      std::int64_t slot = 0;
      bool inside = true;
      for (std::size_t k = 0; k < subscripts.size(); ++k) {
        subscripts[k] = positions_[level.parents[k].level][n] + level.parents[k].constant;
        std::int64_t last = subscripts[k] + (k + 1 == subscripts.size());
        inside = inside && subscripts[k] >= 0 && last < extents[k];
        slot = inside ? slot * extents[k] + subscripts[k] : 0;
      }
      if (!inside || slot + 1 >= static_cast<std::int64_t>(pointers.size())) {
        ++subscripts.back();
        fail_outside(
            fmt::format("`{}({})` lies outside the array", level.pointer, fmt::join(subscripts, ", ")));
      }
      begin[n] = pointers.integer(static_cast<std::size_t>(slot));
      end[n] = std::max(begin[n], pointers.integer(static_cast<std::size_t>(slot) + 1));
      std::int64_t length = 0;
      if (__builtin_sub_overflow(end[n], begin[n], &length) || __builtin_add_overflow(total, length, &total))
        total = INT64_MAX;
      check_count(total);
    }
    repeat(l, total, [&](std::size_t n) { return end[n] - begin[n]; });
    std::vector<std::int64_t> &position = positions_[l];
    position.reserve(static_cast<std::size_t>(total));
    for (std::size_t n = 0; n < nodes_; ++n)
      for (std::int64_t p = begin[n]; p < end[n]; ++p)
        position.push_back(p);
  }

  template <class T>
  void read_key(const Level &level, const Key &key, std::int64_t offset, std::span<const T> array,
                const std::vector<std::int64_t> &position) {
    std::vector<std::int64_t> &index = entries_.index[key.mode];
    index.resize(position.size());
    const Mode &mode = plan_.modes[key.mode];
    std::int64_t size = entries_.shape[key.mode];
    for (std::size_t n = 0; n < position.size(); ++n) {
      if (static_cast<std::uint64_t>(position[n]) >= array.size())
        fail_outside(fmt::format("`{}({})` lies outside the array, {} = {}", key.array, position[n],
                                 level.position, position[n]));
      std::int64_t stored = array[static_cast<std::size_t>(position[n])];
      bool overflow =
          __builtin_add_overflow(key.sign * (stored == INT64_MIN ? INT64_MAX : stored), offset, &index[n]);
      // Whether what is derived leads outside is seen once the coordinates are known.
      if (overflow ||
          (mode.is_coordinate() && static_cast<std::uint64_t>(index[n]) >= static_cast<std::uint64_t>(size)))
        fail_outside(fmt::format("`{}({})` = {} gives a coordinate `{}` outside [0, {})", key.array,
                                 position[n], stored, term::to_text(mode.value), size));
    }
  }

  std::vector<std::int64_t> extents_of(const std::string &array) const {
    std::vector<std::int64_t> extents;
    for (const term::Term &extent : tensor_.layout.array(array)->extents)
      extents.push_back(extent_of(extent, tensor_).value_or(0));
    return extents;
  }

  void read_values() {
    const Elements &values = tensor_.array(plan_.value);
    std::vector<std::int64_t> extents = extents_of(plan_.value);
    if (element_count(*tensor_.layout.array(plan_.value), tensor_) !=
        static_cast<std::int64_t>(values.size()))
      fail_outside(fmt::format("`{}` doesn't have the elements that its extents say", plan_.value));
    const bool is_complex = values.is_complex();
    entries_.value.resize(nodes_);
    if (is_complex) entries_.imaginary.resize(nodes_);
    for (std::size_t n = 0; n < nodes_; ++n) {
      std::int64_t slot = 0;
      bool inside = true;
      for (std::size_t s = 0; s < plan_.slots.size(); ++s) {
        std::int64_t subscript = positions_[plan_.slots[s].level][n] + plan_.slots[s].constant;
        inside = inside && subscript >= 0 && subscript < extents[s];
        slot = inside ? slot * extents[s] + subscript : 0;
      }
      if (!inside || static_cast<std::uint64_t>(slot) >= values.size())
        fail_outside(fmt::format("a slot of `{}` lies outside the array", plan_.value));
      double value = values.real(static_cast<std::size_t>(slot));
      entries_.value[n] = plan_.negative ? -value : value;
      if (!is_complex) continue;
      value = values.imaginary(static_cast<std::size_t>(slot));
      entries_.imaginary[n] = plan_.negative ? -value : value;
    }
  }

  const Tensor &tensor_;
  const PiecePlan &plan_;
  std::vector<LevelNumbers> numbers_;
  std::int64_t max_memory_;
  Coordinates entries_;
  std::vector<std::vector<std::int64_t>> positions_; // per level, of every node
  std::size_t nodes_ = 1;
};

} // namespace

Coordinates unpack_by_plan(const Tensor &tensor, const PiecePlan &plan, std::int64_t max_memory) {
  return Unpacker(tensor, plan, max_memory).unpack();
}

} // namespace unravel::convert
