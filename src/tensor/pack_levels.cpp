// Packing for any plan: sort the entries, then one walk over them that opens nodes level by level.
#include "tensor/pack_levels.h"

#include "report/diagnostic.h"
#include "tensor/evaluator.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace unravel::tensor {

namespace {

/// Adds a mode that numbers the groups of equal keys of a level by their first entry, so that sorting by it
/// keeps the input's order. `above`: what the levels above sort by.
std::size_t add_group_mode(Coordinates &coordinates, const Level &level, std::vector<std::size_t> above) {
  for (const Key &key : level.keys)
    above.push_back(key.mode);
  std::vector<std::size_t> order = sorted_order(coordinates, above);
  std::vector<std::int64_t> group(coordinates.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    bool same = k > 0 && std::all_of(above.begin(), above.end(), [&](std::size_t mode) {
                  return coordinates.index[mode][order[k]] == coordinates.index[mode][order[k - 1]];
                });
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

bool has_mode(const std::vector<SortKey> &order, std::size_t mode) {
  return std::any_of(order.begin(), order.end(), [&](const SortKey &key) { return key.mode == mode; });
}

} // namespace

void order_entries(Coordinates &coordinates, const PackPlan &plan) {
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
    if (level.is_dense()) sort_by(level.mode, level.sign < 0);
    for (const SortKey &key : level.order)
      sort_by(key.mode, key.descending);
    bool all_ordered = std::all_of(level.keys.begin(), level.keys.end(),
                                   [&](const Key &key) { return has_mode(level.order, key.mode); });
    if (level.merge && !all_ordered) modes.push_back(add_group_mode(coordinates, level, above));
  }
  sort(coordinates, modes);
  for (std::size_t mode : mirrored)
    mirror(coordinates, mode);
  coordinates.shape.resize(modes_of_tensor);
  coordinates.index.resize(modes_of_tensor);
}

void sum_pointers(Elements &pointers) {
  auto sum = [](auto elements) { std::partial_sum(elements.begin(), elements.end(), elements.begin()); };
  if (pointers.type() == DType::I4)
    sum(pointers.as<std::int32_t>());
  else
    sum(pointers.as<std::int64_t>());
}

namespace {

/// Walks over sorted entries and opens nodes.
class Builder {
public:
  Builder(Tensor &tensor, const PackPlan &plan, const Coordinates &coordinates, const PackOptions &options)
      : tensor_(tensor), plan_(plan), coordinates_(coordinates), options_(options),
        numbers_(level_numbers(plan, tensor)), node_(plan.levels.size(), -1) {}

  void build() {
    find_openings();
    make_pointers();
    make_keys();
    write();
  }

private:
  /// The modes that tell the nodes of a level apart, below the same node above.
  std::vector<std::size_t> modes_of(const Level &level) const {
    if (level.is_dense()) return {level.mode};
    std::vector<std::size_t> modes;
    for (const Key &key : level.keys)
      modes.push_back(key.mode);
    return modes;
  }

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
      nodes_[l] = std::count_if(opens_.begin(), opens_.end(), [&](std::uint8_t open) { return open <= l; });
  }

  /// From the outermost level in: the extents of inner arrays may be counts that outer ones define.
  void make_pointers() {
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      const Level &level = plan_.levels[l];
      if (!level.count.empty()) tensor_.counts[level.count] = nodes_[l];
      if (level.kind == Level::Kind::Segment) {
        check_width(tensor_.layout, level.pointer, options_, nodes_[l], fmt::format("{} entries", nodes_[l]));
        count_children(l, make_array(tensor_, level.pointer, options_));
      }
      complete_counts(tensor_);
    }
    check_memory(tensor_, options_, coordinates_.size());
  }

  void count_children(std::size_t l, Elements &pointers) {
    const Level &level = plan_.levels[l];
    std::vector<std::int64_t> strides = strides_of(level.pointer);
    std::int64_t keyed = -1; // the position of the parent that is not dense
    for (std::size_t e = 0; e < coordinates_.size(); ++e) {
      std::int64_t slot = 1;
      for (std::size_t k = 0; k < level.parents.size(); ++k) {
        const Level &parent = plan_.levels[level.parents[k].level];
        if (!parent.is_dense() && opens_[e] <= level.parents[k].level) ++keyed;
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

  std::vector<std::int64_t> strides_of(const std::string &name) const {
    const layout::Array &array = *tensor_.layout.array(name);
    std::vector<std::int64_t> strides(array.extents.size(), 1);
    for (std::size_t s = strides.size(); s-- > 1;)
      strides[s - 1] = strides[s] * try_evaluate(array.extents[s], tensor_).value();
    return strides;
  }

  void make_keys() {
    for (std::size_t l = 0; l < plan_.levels.size(); ++l)
      for (const Key &key : plan_.levels[l].keys) {
        Elements &array = make_array(tensor_, key.array, options_);
        report::require(static_cast<std::int64_t>(array.size()) >= nodes_[l], "there is room for every key");
        if (array.type() == DType::I4)
          write_key(l, key, array.as<std::int32_t>());
        else
          write_key(l, key, array.as<std::int64_t>());
      }
  }

  template <class T> void write_key(std::size_t l, const Key &key, std::span<T> array) {
    const Level &level = plan_.levels[l];
    std::int64_t offset = numbers_[l].key_offsets[static_cast<std::size_t>(&key - level.keys.data())];
    const std::vector<std::int64_t> &index = coordinates_.index[key.mode];
    std::size_t node = 0;
    for (std::size_t e = 0; e < coordinates_.size(); ++e)
      if (opens_[e] <= l) array[node++] = static_cast<T>(key.sign * (index[e] - offset));
  }

  void write() {
    Elements &values = make_array(tensor_, plan_.value, options_);
    std::vector<std::int64_t> strides = strides_of(plan_.value);
    double sum = 0;
    std::int64_t slot = 0;
    auto store = [&] {
      report::require(slot >= 0 && slot < static_cast<std::int64_t>(values.size()),
                      "a slot lies within its array");
      values.set_real(static_cast<std::size_t>(slot), sum);
    };
    for (std::size_t e = 0; e < coordinates_.size(); ++e) {
      std::size_t open = opens_[e];
      if (e > 0 && open == plan_.levels.size()) {
        sum += coordinates_.value[e];
        continue;
      }
      if (e > 0) store();
      for (std::size_t l = open; l < plan_.levels.size(); ++l)
        node_[l] =
            plan_.levels[l].is_dense()
                ? plan_.levels[l].sign * coordinates_.index[plan_.levels[l].mode][e] + numbers_[l].offset
                : node_[l] + 1;
      slot = 0;
      for (std::size_t s = 0; s < plan_.slots.size(); ++s)
        slot += strides[s] * (node_[plan_.slots[s].level] + plan_.slots[s].constant);
      sum = coordinates_.value[e];
    }
    if (coordinates_.size() > 0) store();
  }

  Tensor &tensor_;
  const PackPlan &plan_;
  const Coordinates &coordinates_;
  const PackOptions &options_;
  std::vector<LevelNumbers> numbers_;
  std::vector<std::uint8_t> opens_;
  std::vector<std::int64_t> nodes_; // per level: how many
  std::vector<std::int64_t> node_;  // per level: the position of the current node
};

} // namespace

void build_levels(Tensor &tensor, const PackPlan &plan, const Coordinates &coordinates,
                  const PackOptions &options) {
  Builder(tensor, plan, coordinates, options).build();
}

} // namespace unravel::tensor
