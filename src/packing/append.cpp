#include "packing/append.h"

#include "packing/pack_order.h"
#include "packing/pack_segments.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::packing {

using report::Kind;

namespace {

class Appender {
public:
  explicit Appender(const Layout &layout)
      : layout_(layout), plan_(plan_packing(layout)), told_(with_pointers(layout, plan_.segments)) {}

  Append append() {
    check();
    const PiecePlan &piece = plan_.pieces.front();
    Append result;
    for (std::size_t k = 0; k < piece.levels.size(); ++k) {
      const Level &level = piece.levels[k];
      const bool is_computed = level.kind == Level::Kind::Dense;
      if (!is_computed) result.last = k;
      result.levels.push_back(is_computed ? computed(level) : counted(k));
    }
    if (!result.levels[result.last].is_counted()) refuse("each coordinate has a place: nothing is appended");
    check_pointers(result.levels);
    for (std::size_t k = 0; k <= result.last; ++k)
      add_order(piece.levels[k], k == result.last, result);
    result.merges = piece.levels[result.last].merge;
    if (!result.merges && result.last + 1 < result.levels.size())
      refuse("several entries may share the coordinates of a block");
    for (std::size_t k = 0; k < result.last; ++k)
      if (result.levels[k].is_counted() && !piece.levels[k].merge)
        refuse(fmt::format("nodes of `{}` may be repeated", result.levels[k].position));
    result.conditions = piece.conditions;
    result.value = piece.value;
    result.slots = subscripts_of(piece.slots, piece.levels);
    return result;
  }

private:
  [[noreturn]] void refuse(const std::string &reason) const {
    report::fail(Kind::cannot_append, layout_.span,
                 fmt::format("entries can't be appended to layout `{}`: {}", layout_.name, reason),
                 "choose a layout that lists its entries, as csr, dcsr, coo, csf or sv");
  }

  void check() const {
    if (plan_.pieces.size() != 1 || plan_.compared) refuse("it has several pieces");
    const PiecePlan &piece = plan_.pieces.front();
    for (const layout::Array &array : layout_.arrays)
      for (std::size_t k = 1; k < array.extents.size(); ++k)
        for (const layout::Count &count : layout_.counts)
          if (term::mentions(array.extents[k], count.name))
            refuse(fmt::format("`{}` grows in an extent that isn't the first", array.name));
    if (!plan_.checked.empty())
      refuse(fmt::format("nothing ensures `{}`", layout_.properties[plan_.checked.front()].axiom.text));
    if (!piece.permutations.empty()) refuse("the order of its coordinates is chosen from all entries");
    if (!piece.limits.empty())
      refuse(fmt::format("its count `{}` depends on all entries", piece.limits.front().count));
    if (!piece.flags.empty()) refuse(fmt::format("`{}` flags entries", piece.flags.front().array));
    if (piece.value.empty() || piece.negative) refuse("it doesn't store an entry's value unchanged");
    for (const Mode &mode : piece.modes)
      if (!mode.is_of_entry())
        refuse(fmt::format("`{}` depends on more than the entry that is appended", mode.name));
    for (const Level &level : piece.levels)
      if (level.kind == Level::Kind::Padded || level.kind == Level::Kind::Run)
        refuse(fmt::format("how many positions `{}` there are depends on all entries", level.position));
  }

  const Term &value_of(std::size_t mode) const { return plan_.pieces.front().modes[mode].value; }

  AppendLevel computed(const Level &level) const {
    const Mode &mode = plan_.pieces.front().modes[level.mode];
    AppendLevel result;
    result.position = level.position;
    result.value = term::scale(level.sign, mode.value) + level.offset;
    const Term first =
        level.sign > 0 ? mode.least + level.offset : level.offset - (mode.least + mode.size - Term(1));
    if (first != Term(0)) refuse(fmt::format("positions `{}` don't begin with 0", level.position));
    result.extent = mode.size;
    return result;
  }

  AppendLevel counted(std::size_t k) const {
    const Level &level = plan_.pieces.front().levels[k];
    AppendLevel result;
    result.position = level.position;
    for (const Key &key : level.keys) {
      layout::IndexElement element{key.array, subscripts_of(key.slots, plan_.pieces.front().levels),
                                   term::scale(key.sign, value_of(key.mode) - key.offset)};
      const std::vector<Term> &extents = layout_.array(key.array)->extents;
      for (std::size_t slot = 0; slot < key.slots.size(); ++slot) {
        if (key.slots[slot].level == Slot::no_level) continue;
        const auto *count = extents[slot].as<term::Variable>();
        if (key.slots[slot].level != k || key.slots[slot].constant != 0 || !count ||
            (!result.count.empty() && result.count != count->name) || !layout_.count(count->name))
          refuse(fmt::format("`{}` isn't an array of all nodes `{}`", key.array, level.position));
        result.count = count->name;
      }
      result.keys.push_back(std::move(element));
    }
    for (const layout::Array &array : layout_.arrays)
      if (std::ranges::any_of(array.extents,
                              [&](const Term &extent) { return term::mentions(extent, result.count); }))
        result.arrays.push_back(array.name);
    if (level.kind == Level::Kind::Counted) {
      if (k > 0) refuse(fmt::format("positions `{}` stand for all nodes above", level.position));
      return result;
    }
    result.pointer = level.pointer;
    const bool is_plain = level.parents.size() == 1 && level.parents[0].constant == 0 && k > 0 &&
                          level.parents[0].level == k - 1;
    if (!is_plain)
      refuse(fmt::format("`{}` isn't subscripted with the position before it alone", level.pointer));
    result.parent = k - 1;
    if (k > 1 && plan_.pieces.front().levels[k - 1].is_dense())
      refuse(fmt::format("position `{}` doesn't number all nodes above `{}`",
                         plan_.pieces.front().levels[k - 1].position, level.position));
    if (const BoundSegments *bounds = segments_with(plan_.segments, level.pointer)) result.bounds = *bounds;
    return result;
  }

  /// No pointers but those of the nodes above, and the last one's end.
  void check_pointers(const std::vector<AppendLevel> &levels) const {
    for (const AppendLevel &level : levels) {
      if (level.pointer.empty()) continue;
      const AppendLevel &above = levels[level.parent];
      const Term nodes = above.is_counted() ? term::variable(above.count) : above.extent;
      if (told_.array(level.pointer)->extents.back() != nodes + Term(1))
        refuse(
            fmt::format("`{}` has elements for more than the positions `{}`", level.pointer, above.position));
    }
  }

  void add_order(const Level &level, bool is_last, Append &to) const {
    if (level.kind == Level::Kind::Dense) {
      to.order.push_back({value_of(level.mode), level.sign < 0});
      return;
    }
    for (const SortKey &key : level.order)
      to.order.push_back({value_of(key.mode), key.descending});
    to.loose = to.order.size();
    if (is_last && !level.merge) return;
    for (const Key &key : level.keys)
      if (std::ranges::none_of(level.order, [&](const SortKey &by) { return by.mode == key.mode; }))
        to.order.push_back({value_of(key.mode), false});
    // A node that has several entries is the last one until all of them have come.
    if (to.last + 1 < to.levels.size()) to.loose = to.order.size();
  }

  const Layout &layout_;
  const PackPlan plan_;
  const Layout told_; // by pointers
};

} // namespace

Append append_of(const layout::Layout &layout) {
  return Appender(layout).append();
}

} // namespace unravel::packing
