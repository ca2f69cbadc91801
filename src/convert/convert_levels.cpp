// Conversion level by level: the entries of a tree are in the order that the target wants.
#include "convert/convert_tree.h"
#include "convert/pack_levels.h"
#include "data/parallel.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <set>

namespace unravel::convert {

bool fits_order(const PiecePlan &plan, const std::vector<Step> &steps, bool unique) {
  std::size_t at = 0;
  auto next_is = [&](std::size_t mode, bool descending) {
    return at < steps.size() && steps[at].mode == mode &&
           steps[at].order == (descending ? StepOrder::Descending : StepOrder::Ascending);
  };
  for (std::size_t l = 0; l < plan.levels.size(); ++l) {
    const Level &level = plan.levels[l];
    bool last = l + 1 == plan.levels.size();
    if (level.is_dense()) {
      if (!next_is(level.mode, level.sign < 0) || (last && !unique)) return false;
      ++at;
      continue;
    }
    std::set<std::size_t> rest;
    for (const Key &key : level.keys)
      rest.insert(key.mode);
    for (const SortKey &key : level.order) {
      if (!next_is(key.mode, key.descending)) return false;
      rest.erase(key.mode);
      ++at;
    }
    if (last) return unique || !level.merge;
    // Equal keys must come together, in whatever order.
    for (; !rest.empty(); ++at)
      if (at == steps.size() || rest.erase(steps[at].mode) == 0) return false;
  }
  return true;
}

namespace {

constexpr std::size_t one_thread_nodes = 20000;

class LevelConverter {
public:
  LevelConverter(const EntryTree &tree, const PiecePlan &plan, Tensor &tensor, const PackOptions &options)
      : tree_(tree), plan_(plan), tensor_(tensor), options_(options), numbers_(level_numbers(plan, tensor)) {}

  void convert() {
    std::size_t modes = 0;
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      const Level &level = plan_.levels[l];
      modes += level.is_dense() ? 1 : level.keys.size();
      bool has_segments = l + 1 < plan_.levels.size() && plan_.levels[l + 1].kind == Level::Kind::Segment;
      bool needed = !level.is_dense() || has_segments;
      lists_.push_back(needed ? tree_.prefixes(modes) : NodeList{});
    }
    make_pointers();
    check_memory(tensor_, options_, 0);
    for (std::size_t l = 0; l < plan_.levels.size(); ++l)
      for (std::size_t k = 0; k < plan_.levels[l].keys.size(); ++k)
        write_key(l, k);
    if (plan_.slots.size() == 1 && plan_.slots[0].level + 1 == plan_.levels.size() &&
        !plan_.levels.back().is_dense() && plan_.slots[0].constant == 0)
      copy_values();
    else
      scatter_values();
  }

private:
  /// In parallel where that pays.
  template <class Work> static void each_range(std::size_t count, Work work) {
    if (count < one_thread_nodes) return work(std::size_t{0}, count);
    data::run_ranges(count, work);
  }

  void make_pointers() {
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      const Level &level = plan_.levels[l];
      auto nodes = static_cast<std::int64_t>(lists_[l].count);
      if (!level.count.empty()) tensor_.counts[level.count] = nodes;
      if (level.kind == Level::Kind::Segment) {
        check_width(tensor_.layout, level.pointer, options_, nodes, fmt::format("{} entries", nodes));
        write_pointers(l, make_array(tensor_, level.pointer, options_));
      }
      complete_counts(tensor_);
    }
  }

  /// The end of each segment is the number of nodes that begin before the next node above does.
  void write_pointers(std::size_t l, Elements &pointers) {
    const Level &level = plan_.levels[l], &parent = plan_.levels[l - 1];
    const NodeList &above = lists_[l - 1], &nodes = lists_[l];
    std::int64_t base = level.parents[0].constant;
    std::vector<std::int64_t> position(parent.is_dense() ? above.count : 0);
    if (parent.is_dense()) {
      base += numbers_[l - 1].offset;
      tree_.each_value(parent.mode, above, 0, above.count,
                       [&](std::size_t n, std::int64_t value) { position[n] = parent.sign * value; });
    }
    std::size_t slot = 0, node = 0;
    auto fill_up_to = [&](std::size_t end) {
      report::require(end <= pointers.size(), "a segment lies within its pointers");
      for (; slot < end; ++slot)
        pointers.set_integer(slot, static_cast<std::int64_t>(node));
    };
    for (std::size_t n = 0; n < above.count; ++n) {
      std::int64_t at = base + (parent.is_dense() ? position[n] : static_cast<std::int64_t>(n));
      report::require(at >= 0, "a segment lies within its pointers");
      fill_up_to(static_cast<std::size_t>(at) + 1);
      auto end = static_cast<std::int64_t>(n + 1 < above.count ? above.entry(n + 1)
                                                               : static_cast<std::int64_t>(tree_.entries));
      if (nodes.all)
        node = static_cast<std::size_t>(end);
      else
        while (node < nodes.count && nodes.begin[node] < end)
          ++node;
    }
    fill_up_to(pointers.size());
  }

  void write_key(std::size_t l, std::size_t k) {
    const Key &key = plan_.levels[l].keys[k];
    const NodeList &nodes = lists_[l];
    Elements &array = make_array(tensor_, key.array, options_, false);
    report::require(array.size() >= nodes.count, "there is room for every key");
    std::int64_t offset = numbers_[l].key_offsets[k];
    const ModeArray *same = nodes.all ? tree_.array_of_entries(key.mode) : nullptr;
    if (same && same->array->type() == array.type() && same->sign == key.sign && same->offset == offset)
      return take(array, *same->array, nodes.count);
    with_integers(array, [&](auto elements) {
      using T = typename decltype(elements)::element_type;
      std::fill(elements.begin() + static_cast<std::ptrdiff_t>(nodes.count), elements.end(), T{0});
      each_range(nodes.count, [&](std::size_t begin, std::size_t end) {
        tree_.each_value(key.mode, nodes, begin, end,
                         [=, out = elements.data(), sign = key.sign](std::size_t n, std::int64_t value) {
                           out[n] = static_cast<T>(sign * (value - offset));
                         });
      });
    });
  }

  /// The first elements, which aren't copied where the tree has made all of them.
  void take(Elements &to, const Elements &from, std::size_t count) const {
    if (!tree_.owned.empty() && to.size() == from.size()) {
      to = from.shared();
      return;
    }
    std::size_t bytes = data::item_size(to.type());
    each_range(count, [&](std::size_t begin, std::size_t end) {
      std::memcpy(static_cast<char *>(to.data()) + begin * bytes,
                  static_cast<const char *>(from.data()) + begin * bytes, (end - begin) * bytes);
    });
  }

  void copy_values() {
    const Elements &from = *tree_.values;
    Elements &to = make_array(tensor_, plan_.value, options_, false);
    report::require(to.size() >= tree_.entries, "there is room for every value");
    for (std::size_t spare = tree_.entries; spare < to.size(); ++spare)
      to.set_real(spare, options_.fill);
    bool negative = tree_.negative != plan_.negative;
    if (!negative && from.type() == to.type()) return take(to, from, tree_.entries);
    each_range(tree_.entries, [&](std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end; ++e)
        to.set_real(e, negative ? -from.real(e) : from.real(e));
    });
  }

  /// Some slots belong to no entry, or lie in another order: each entry's is computed, some thousand at once.
  void scatter_values() {
    Elements &to = make_array(tensor_, plan_.value, options_);
    const layout::Array &array = *tensor_.layout.array(plan_.value);
    NodeList all{true, tree_.entries, {}};
    bool negative = tree_.negative != plan_.negative;
    data::run_ranges(tree_.entries, [&](std::size_t first, std::size_t last) {
      constexpr std::size_t stretch = 4096;
      std::vector<std::int64_t> slots(stretch);
      for (std::size_t begin = first, end = first; begin < last; begin = end) {
        end = std::min(last, begin + stretch);
        std::ranges::fill(slots, 0);
        std::int64_t stride = 1;
        for (std::size_t s = plan_.slots.size(); s-- > 0;) {
          add_positions(plan_.slots[s], all, begin, end, stride, slots);
          stride *= extent_of(array.extents[s], tensor_).value();
        }
        for (std::size_t e = begin; e < end; ++e) {
          std::int64_t slot = slots[e - begin];
          report::require(static_cast<std::uint64_t>(slot) < to.size(), "a slot lies within its array");
          double value = tree_.values->real(e);
          to.set_real(static_cast<std::size_t>(slot), negative ? -value : value);
        }
      }
    });
  }

  /// Adds stride * (position + constant) to the slots of entries [begin, end).
  void add_positions(const Slot &slot, const NodeList &all, std::size_t begin, std::size_t end,
                     std::int64_t stride, std::vector<std::int64_t> &slots) const {
    const Level &level = plan_.levels[slot.level];
    if (level.is_dense()) {
      std::int64_t offset = numbers_[slot.level].offset + slot.constant;
      tree_.each_value(level.mode, all, begin, end, [&](std::size_t e, std::int64_t value) {
        slots[e - begin] += stride * (level.sign * value + offset);
      });
      return;
    }
    const NodeList &nodes = lists_[slot.level];
    std::size_t node = nodes.all
                           ? 0
                           : static_cast<std::size_t>(
                                 std::ranges::upper_bound(nodes.begin, static_cast<std::int64_t>(begin)) -
                                 nodes.begin.begin() - 1);
    for (std::size_t e = begin; e < end; ++e) {
      if (nodes.all) node = e;
      while (!nodes.all && node + 1 < nodes.count && nodes.begin[node + 1] <= static_cast<std::int64_t>(e))
        ++node;
      slots[e - begin] += stride * (static_cast<std::int64_t>(node) + slot.constant);
    }
  }

  const EntryTree &tree_;
  const PiecePlan &plan_;
  Tensor &tensor_;
  const PackOptions &options_;
  std::vector<LevelNumbers> numbers_;
  std::vector<NodeList> lists_; // per level; empty for dense ones without segments
};

} // namespace

Tensor convert_levels(const EntryTree &tree, const layout::Layout &layout, const PackPlan &plan,
                      const std::vector<std::int64_t> &shape, const PackOptions &options) {
  Tensor tensor = begin_packing(layout, plan, shape, tree.entries, options);
  LevelConverter(tree, plan.pieces.front(), tensor, options).convert();
  finish_packing(tensor, layout, plan, options);
  return tensor;
}

} // namespace unravel::convert
