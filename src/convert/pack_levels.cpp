// Packing for any plan: sort the entries, then one walk over them that opens nodes level by level.
#include "convert/pack_levels.h"

#include "convert/mode_values.h"
#include "report/diagnostic.h"
#include "tensor/evaluator.h"

#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace unravel::convert {

using packing::Flag;
using tensor::Evaluator;

namespace {

/// Adds a mode that numbers the groups of equal keys of a level by their first entry, so that sorting by it
/// keeps the input's order. `above`: what the levels above sort by.
std::size_t add_group_mode(Coordinates &coordinates, const Level &level, std::vector<std::size_t> above) {
  for (const Key &key : level.keys)
    above.push_back(key.mode);
  std::vector<std::size_t> order = sorted_order(coordinates, above);
  std::vector<std::int64_t> group(coordinates.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    bool same = k > 0 && coordinates.agree(order[k], order[k - 1], above);
    // The sort is stable: the first of a run is the first of the input.
    group[order[k]] = same ? group[order[k - 1]] : static_cast<std::int64_t>(order[k]);
  }
  coordinates.index.push_back(std::move(group));
  coordinates.shape.push_back(static_cast<std::int64_t>(coordinates.size()));
  return coordinates.index.size() - 1;
}

void mirror(Coordinates &coordinates, std::size_t mode) {
  for (std::int64_t &index : coordinates.index[mode])
    index = coordinates.shape[mode] - 1 - index;
}

} // namespace

void order_entries(Coordinates &coordinates, const PiecePlan &plan) {
  std::size_t modes_of_tensor = coordinates.order();
  std::vector<std::size_t> modes, mirrored;
  for (const Level &level : plan.levels) {
    auto sort_by = [&](std::size_t mode, bool descending) {
      modes.push_back(mode);
      if (!descending) return;
      mirror(coordinates, mode);
      mirrored.push_back(mode);
    };
    std::vector<std::size_t> above = modes;
    if (level.has_mode()) sort_by(level.mode, level.sign < 0);
    for (const SortKey &key : level.order)
      sort_by(key.mode, key.descending);
    if (level.merge && !level.orders_keys()) modes.push_back(add_group_mode(coordinates, level, above));
  }
  sort(coordinates, modes);
  for (std::size_t mode : mirrored)
    mirror(coordinates, mode);
  coordinates.shape.resize(modes_of_tensor);
  coordinates.index.resize(modes_of_tensor);
}

void sum_pointers(Elements &pointers) {
  with_integers(pointers,
                [](auto elements) { std::partial_sum(elements.begin(), elements.end(), elements.begin()); });
}

void sum_widths(Tensor &tensor, const Level &level, Elements &widths, const PackOptions &options,
                std::size_t entries) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < widths.size(); ++k)
    sum += widths.integer(k);
  check_positions(tensor, level, options, entries, sum);
  sum_pointers(widths);
}

void check_length(const Tensor &tensor, const Level &level, const PackOptions &options, std::int64_t widest) {
  if (level.lengths.empty()) return;
  check_width(tensor.layout, level.lengths, options, widest, fmt::format("{} positions", widest));
}

std::vector<std::optional<std::int64_t>> known_strides(const Tensor &tensor, const std::string &name) {
  const layout::Array &array = *tensor.layout.array(name);
  std::vector<std::optional<std::int64_t>> strides(array.extents.size(), 1);
  for (std::size_t s = strides.size(); s-- > 1;) {
    std::optional<std::int64_t> extent = extent_of(array.extents[s], tensor);
    strides[s - 1] = strides[s] && extent ? std::optional(*strides[s] * *extent) : std::nullopt;
  }
  return strides;
}

namespace {

/// The coordinates of the nodes above a level, as the layout has them; empty: there are none.
std::string coordinates_above(const PiecePlan &plan, const Level &level) {
  std::string text;
  for (const Level &above : plan.levels) {
    if (above.position == level.position) break;
    for (std::size_t mode : modes_of(above))
      text += fmt::format("{}`{}`", text.empty() ? "" : " and ", term::to_text(plan.modes[mode].value));
  }
  return text;
}

} // namespace

void set_width(Tensor &tensor, const PiecePlan &plan, const Level &level, std::int64_t widest) {
  if (level.width > 0 && widest > level.width) {
    if (level.home)
      fail_not_storable(
          tensor,
          fmt::format("an entry finds no free position `{}` from `{}` on: the layout has room for {}",
                      level.position, term::to_text(plan.modes[level.home->mode].value), level.width));
    const std::string above = coordinates_above(plan, level);
    fail_not_storable(tensor, fmt::format("{} entries {}, but the layout has room for {} (positions `{}`)",
                                          widest, above.empty() ? "are given" : "have the same " + above,
                                          level.width, level.position));
  }
  if (!level.count.empty()) tensor.counts[level.count] = widest;
}

namespace {

/// Walks over sorted entries and opens nodes.
class Builder {
public:
  Builder(Tensor &tensor, const PiecePlan &plan, const Coordinates &coordinates, const PackOptions &options)
      : tensor_(tensor), plan_(plan), coordinates_(coordinates), options_(options),
        numbers_(level_numbers(plan, tensor)), node_(plan.levels.size(), -1) {}

  void build() {
    find_openings();
    make_pointers();
    make_keys();
    write();
  }

private:
  /// For every entry the first level at which it opens a node; the number of levels when it opens none.
  void find_openings() {
    std::size_t entries = coordinates_.size(), levels = plan_.levels.size();
    opens_.assign(entries, static_cast<std::uint8_t>(levels));
    for (std::size_t l = levels; l-- > 0;) {
      auto number = static_cast<std::uint8_t>(l);
      if (!plan_.levels[l].merge && l + 1 == levels) opens_.assign(entries, number);
      for (std::size_t mode : modes_of(plan_.levels[l])) {
        const std::vector<std::int64_t> &index = coordinates_.index[mode];
        for (std::size_t e = 1; e < entries; ++e)
          opens_[e] = index[e] != index[e - 1] ? number : opens_[e];
      }
    }
    if (entries > 0) opens_[0] = 0;
    nodes_.assign(levels, 0);
    for (std::size_t l = 0; l < levels; ++l)
      nodes_[l] = std::ranges::count_if(opens_, [&](std::uint8_t open) { return open <= l; });
  }

  /// From the outermost level in: the extents of inner arrays may be counts that outer ones define.
  void make_pointers() {
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      const Level &level = plan_.levels[l];
      if (level.kind == Level::Kind::Padded)
        widen(l);
      else if (!level.count.empty())
        tensor_.counts[level.count] = nodes_[l];
      if (level.kind == Level::Kind::Run) make_runs(l);
      if (level.kind == Level::Kind::Segment) {
        check_width(tensor_.layout, level.pointer, options_, nodes_[l], fmt::format("{} entries", nodes_[l]));
        count_children(l, make_array(tensor_, level.pointer, options_));
      }
      complete_counts(tensor_);
    }
    check_memory(tensor_, options_, coordinates_.size());
  }

  /// The slot of a dense parent's position in an array that is subscripted with it.
  std::int64_t parent_slot(const Level &level, std::size_t e) const {
    const Slot &slot = level.parents[0];
    const Level &parent = plan_.levels[slot.level];
    return parent.sign * coordinates_.index[parent.mode][e] + numbers_[slot.level].offset + slot.constant;
  }

  /// How many positions a padded level has: the most that any node fills, of all or of each segment.
  void widen(std::size_t l) {
    const Level &level = plan_.levels[l];
    Elements *pointers = level.pointer.empty() ? nullptr : &make_array(tensor_, level.pointer, options_);
    std::int64_t place = -1, rank = 0, widest = 0;
    for (std::size_t e = 0; e < coordinates_.size(); ++e) {
      if (opens_[e] > l) continue;
      place = next_place(level, numbers_[l], coordinates_, e, opens_[e] < l ? -1 : place);
      rank = place + 1;
      widest = std::max(widest, rank);
      if (!pointers) continue;
      auto slot = static_cast<std::size_t>(parent_slot(level, e)) + 1;
      report::require(slot < pointers->size(), "a segment lies within its pointers");
      if (rank > INT32_MAX)
        check_width(tensor_.layout, level.pointer, options_, rank, fmt::format("{} positions", rank));
      if (rank > pointers->integer(slot)) pointers->set_integer(slot, rank);
    }
    set_width(tensor_, plan_, level, widest);
    check_length(tensor_, level, options_, widest);
    if (pointers) sum_widths(tensor_, level, *pointers, options_, coordinates_.size());
  }

  /// Where each run begins: the least mode of each parent, and lengths one after the other.
  void make_runs(std::size_t l) {
    const Level &level = plan_.levels[l];
    std::vector<std::int64_t> pointers(make_array(tensor_, level.pointer, options_).size());
    std::vector<std::int64_t> first(pointers.size(), level.first.empty() ? 0 : INT64_MAX),
        last(pointers.size(), -1);
    for (std::size_t e = 0; e < coordinates_.size(); ++e) {
      auto parent = static_cast<std::size_t>(parent_slot(level, e));
      report::require(parent + 1 < pointers.size(), "a segment lies within its pointers");
      std::int64_t at = coordinates_.index[level.mode][e] + numbers_[l].offset;
      first[parent] = std::min(first[parent], at);
      last[parent] = std::max(last[parent], at);
    }
    std::vector<std::string> variable{plan_.levels[level.parents[0].level].position};
    auto value_at = [&](const term::Term &term, std::size_t parent) {
      std::int64_t position = static_cast<std::int64_t>(parent) - level.parents[0].constant;
      return Evaluator(term, tensor_, variable).evaluate(&position);
    };
    if (!level.first.empty()) {
      Elements &stored = make_array(tensor_, level.first, options_);
      for (std::size_t k = 0; k < std::min(stored.size(), first.size()); ++k) {
        std::optional<std::int64_t> most;
        if (level.first_most) most = value_at(*level.first_most, k);
        first[k] = std::min(first[k], most.value_or(first[k] == INT64_MAX ? 0 : first[k]));
        check_width(tensor_.layout, level.first, options_, std::abs(first[k]),
                    fmt::format("a run from {} on", first[k]));
        stored.set_integer(k, first[k]);
      }
    }
    for (std::size_t k = 0; k + 1 < pointers.size(); ++k) {
      std::int64_t length = last[k] < first[k] ? 0 : last[k] - first[k] + 1;
      if (level.length) length = value_at(*level.length, k).value_or(0);
      pointers[k + 1] = pointers[k] + std::max<std::int64_t>(length, 0);
    }
    if (!pointers.empty()) check_positions(tensor_, level, options_, coordinates_.size(), pointers.back());
    Elements &stored = tensor_.array(level.pointer);
    for (std::size_t k = 0; k < pointers.size(); ++k)
      stored.set_integer(k, pointers[k]);
  }

  void count_children(std::size_t l, Elements &pointers) {
    const Level &level = plan_.levels[l];
    std::vector<std::int64_t> strides = strides_of(level.pointer);
    std::int64_t keyed = -1; // the position of the parent that is not dense
    auto step = [&](std::size_t above, std::size_t e) {
      const Level &parent = plan_.levels[above];
      if (parent.is_dense() || opens_[e] > above) return;
      bool first = parent.kind == Level::Kind::Padded && opens_[e] < above;
      keyed = next_place(parent, numbers_[above], coordinates_, e, first ? -1 : keyed);
    };
    for (std::size_t e = 0; e < coordinates_.size(); ++e) {
      std::int64_t slot = 1;
      for (std::size_t k = 0; k < level.parents.size(); ++k) {
        const Level &parent = plan_.levels[level.parents[k].level];
        step(level.parents[k].level, e);
        std::int64_t position = parent.is_dense() ? parent.sign * coordinates_.index[parent.mode][e] +
                                                        numbers_[level.parents[k].level].offset
                                                  : keyed;
        slot += strides[k] * (position + level.parents[k].constant);
      }
      if (opens_[e] > l) continue;
      report::require(slot > 0 && slot < static_cast<std::int64_t>(pointers.size()),
                      "a segment lies within its pointers");
      pointers.set_integer(static_cast<std::size_t>(slot),
                           pointers.integer(static_cast<std::size_t>(slot)) + 1);
    }
    sum_pointers(pointers);
  }

  /// Once the counts in the extents are known.
  std::vector<std::int64_t> strides_of(const std::string &name) const {
    std::vector<std::int64_t> strides;
    for (std::optional<std::int64_t> stride : known_strides(tensor_, name))
      strides.push_back(stride.value());
    return strides;
  }

  void make_keys() {
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      const Level &level = plan_.levels[l];
      if (!level.lengths.empty()) {
        Elements &array = make_array(tensor_, level.lengths, options_);
        placed_.push_back({l, level.length_slots, strides_of(level.lengths), &array,
                           [this, l](std::size_t e) { return node_[l] + 1 - begin_of(plan_.levels[l], e); }});
      }
      for (const Key &key : level.keys) {
        bool made = tensor_.arrays.count(key.array) != 0; // by another key of the same array
        Elements &array = made ? tensor_.array(key.array) : make_array(tensor_, key.array, options_);
        if (!made && plan_.levels[l].unused)
          fill(array, try_evaluate(*plan_.levels[l].unused, tensor_).value());
        if (key.slots.size() > 1 || plan_.levels[l].home) {
          placed_.push_back({l, key.slots, strides_of(key.array), &array,
                             [this, l, &key](std::size_t e) { return key_value(l, key, e); }});
          continue;
        }
        report::require(static_cast<std::int64_t>(array.size()) >= nodes_[l], "there is room for every key");
        with_integers(array, [&](auto elements) { write_key(l, key, elements); });
      }
    }
    for (const Flag &flag : plan_.flags) {
      Elements &array = make_array(tensor_, flag.array, options_);
      fill(array, flag.other);
      placed_.push_back({plan_.levels.size(), flag.slots, strides_of(flag.array), &array,
                         [&flag](std::size_t) { return flag.value; }});
    }
  }

  static void fill(Elements &array, std::int64_t value) {
    for (std::size_t k = 0; k < array.size(); ++k)
      array.set_integer(k, value);
  }

  std::int64_t key_value(std::size_t l, const Key &key, std::size_t e) const {
    std::int64_t offset =
        numbers_[l].key_offsets[static_cast<std::size_t>(&key - plan_.levels[l].keys.data())];
    return key.sign * (coordinates_.index[key.mode][e] - offset);
  }

  template <class T> void write_key(std::size_t l, const Key &key, std::span<T> array) {
    std::size_t node = 0;
    for (std::size_t e = 0; e < coordinates_.size(); ++e)
      if (opens_[e] <= l) array[node++] = static_cast<T>(key_value(l, key, e));
  }

  std::int64_t slot_of(const std::vector<Slot> &slots, const std::vector<std::int64_t> &strides) const {
    std::int64_t slot = 0;
    for (std::size_t s = 0; s < slots.size(); ++s)
      slot +=
          strides[s] * ((slots[s].level == Slot::no_level ? 0 : node_[slots[s].level]) + slots[s].constant);
    return slot;
  }

  /// The position of the node that entry e opens.
  std::int64_t position(std::size_t l, std::size_t e) const {
    const Level &level = plan_.levels[l];
    switch (level.kind) {
    case Level::Kind::Dense: return level.sign * coordinates_.index[level.mode][e] + numbers_[l].offset;
    case Level::Kind::Run: return run_position(l, e);
    case Level::Kind::Padded: {
      std::int64_t begin = begin_of(level, e);
      return begin + next_place(level, numbers_[l], coordinates_, e, opens_[e] == l ? node_[l] - begin : -1);
    }
    default: return node_[l] + 1;
    }
  }

  /// The first position of an entry's node on a padded level.
  std::int64_t begin_of(const Level &level, std::size_t e) const {
    if (level.pointer.empty()) return 0;
    return tensor_.array(level.pointer).integer(static_cast<std::size_t>(parent_slot(level, e)));
  }

  std::int64_t run_position(std::size_t l, std::size_t e) const {
    const Level &level = plan_.levels[l];
    auto parent = static_cast<std::size_t>(parent_slot(level, e));
    const Elements &pointers = tensor_.array(level.pointer);
    std::int64_t at = coordinates_.index[level.mode][e] + numbers_[l].offset;
    if (!level.first.empty()) at -= tensor_.array(level.first).integer(parent);
    std::int64_t position = pointers.integer(parent) + at;
    if (at < 0 || position >= pointers.integer(parent + 1))
      fail_not_storable(
          tensor_,
          fmt::format("`{0} = {1}` doesn't fit into its segment, to which `{3}` gives {2} positions",
                      term::to_text(plan_.modes[level.mode].value),
                      coordinates_.index[level.mode][e] + range_of(plan_.modes[level.mode], tensor_).least,
                      pointers.integer(parent + 1) - pointers.integer(parent), level.pointer));
    return position;
  }

  void write() {
    Elements *values = plan_.value.empty() ? nullptr : &make_array(tensor_, plan_.value, options_);
    std::vector<std::int64_t> strides;
    if (values) strides = strides_of(plan_.value);
    const bool is_complex = coordinates_.is_complex();
    double sum = 0, imaginary = 0;
    std::int64_t slot = 0;
    auto store = [&] {
      if (!values) {
        if (sum != plan_.literal || imaginary != 0)
          fail_not_storable(tensor_,
                            fmt::format("the layout stores the value {} for each entry, but an entry is {}{}",
                                        plan_.literal, sum,
                                        imaginary == 0 ? "" : fmt::format("{:+}j", imaginary)));
        return;
      }
      report::require(slot >= 0 && slot < static_cast<std::int64_t>(values->size()),
                      "a slot lies within its array");
      if (is_complex)
        values->set_number(static_cast<std::size_t>(slot), {DType::Complex128, sum, 0, imaginary});
      else
        values->set_real(static_cast<std::size_t>(slot), sum);
    };
    for (std::size_t e = 0; e < coordinates_.size(); ++e) {
      std::size_t open = opens_[e];
      if (e > 0 && open == plan_.levels.size()) {
        sum += coordinates_.value[e];
        if (is_complex) imaginary += coordinates_.imaginary[e];
        continue;
      }
      if (e > 0) store();
      for (std::size_t l = open; l < plan_.levels.size(); ++l)
        node_[l] = position(l, e);
      place(e, open);
      slot = slot_of(plan_.slots, strides);
      sum = coordinates_.value[e];
      if (is_complex) imaginary = coordinates_.imaginary[e];
    }
    if (coordinates_.size() > 0) store();
  }

  /// What lies at places of its own: keys with several subscripts, lengths, flags.
  void place(std::size_t e, std::size_t open) {
    for (const Placed &placed : placed_) {
      if (open > placed.level) continue;
      const std::int64_t slot = slot_of(placed.slots, placed.strides);
      report::require(slot >= 0 && slot < static_cast<std::int64_t>(placed.array->size()),
                      "a slot lies within its array");
      placed.array->set_integer(static_cast<std::size_t>(slot), placed.value(e));
    }
  }

  struct Placed {
    std::size_t level; // whose nodes have it
    const std::vector<Slot> &slots;
    std::vector<std::int64_t> strides;
    Elements *array;
    std::function<std::int64_t(std::size_t)> value; // by the entry that opens the node
  };

  Tensor &tensor_;
  const PiecePlan &plan_;
  const Coordinates &coordinates_;
  const PackOptions &options_;
  std::vector<LevelNumbers> numbers_;
  std::vector<std::uint8_t> opens_;
  std::vector<std::int64_t> nodes_; // per level: how many
  std::vector<std::int64_t> node_;  // per level: the position of the current node
  std::vector<Placed> placed_;
};

} // namespace

void build_levels(Tensor &tensor, const PiecePlan &plan, const Coordinates &coordinates,
                  const PackOptions &options) {
  Builder(tensor, plan, coordinates, options).build();
}

} // namespace unravel::convert
