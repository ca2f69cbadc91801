#pragma once

#include "packing/pack_plan.h"
#include "tensor/tensor.h"

#include <algorithm>
#include <memory>

/// The arrays of a tensor as a tree of nodes whose leaves are its entries: what conversion without
/// coordinates reads.
namespace unravel::convert {

/// How entries that agree in the modes before are ordered by a mode: by its values, or with equal ones
/// together.
enum class StepOrder { Ascending, Descending, Grouped };
struct Step {
  std::size_t mode = 0;
  StepOrder order = StepOrder::Ascending;
};

/// Where a mode is stored: value = sign * array[node] + offset.
struct ModeArray {
  std::size_t mode = 0;
  const data::Elements *array = nullptr;
  int sign = 1;
  std::int64_t offset = 0;
};

/// One level: a dense one has a node for each value of its mode below each node above; any other one lists
/// them.
struct NodeLevel {
  std::size_t first_step = 0; // of the tree's steps
  std::size_t nodes = 0;
  std::int64_t size = 0; // dense: of the mode; else 0
  bool mirrored = false; // dense: the mode's values descend
  std::vector<ModeArray> arrays;
  /// The first entry of each node, and the number of entries. Empty at the last level, whose nodes are the
  /// entries.
  std::vector<std::int64_t> start;

  bool is_dense() const { return arrays.empty(); }
};

/// Some nodes of a tree, named by their first entries in ascending order: all entries, or those listed.
struct NodeList {
  bool all = false;
  std::size_t count = 0;
  std::vector<std::int64_t> begin;

  std::int64_t entry(std::size_t node) const { return all ? static_cast<std::int64_t>(node) : begin[node]; }
};

class EntryTree {
public:
  std::vector<NodeLevel> levels;
  /// In which order the entries come. Fewer steps than modes: not known beyond.
  std::vector<Step> steps;
  std::size_t order = 0; // of the tensor
  std::size_t entries = 0;
  bool unique = true; // no coordinate occurs twice
  const data::Elements *values = nullptr;
  bool negative = false; // what is stored is minus the value
  /// Arrays that belong to the tree itself, where it isn't a tensor's.
  std::vector<std::unique_ptr<data::Elements>> owned;

  /// The distinct coordinates of the first `steps` steps that have entries, by their first entries.
  NodeList prefixes(std::size_t steps) const;

  /// The array that holds a mode entry by entry, or null.
  const ModeArray *array_of_entries(std::size_t mode) const;

  /// Calls use(k, value of the mode) for nodes [begin, end) of the list.
  template <class Use>
  void each_value(std::size_t mode, const NodeList &nodes, std::size_t begin, std::size_t end,
                  Use use) const {
    each_run(mode, nodes, begin, end, [&use](std::size_t k, std::size_t last, std::int64_t value) {
      for (; k < last; ++k)
        use(k, value);
    });
  }
  /// Calls use(first, last, value) for stretches [first, last) of nodes with equal values, not the longest
  /// ones.
  template <class Use>
  void each_run(std::size_t mode, const NodeList &nodes, std::size_t begin, std::size_t end, Use use) const;

private:
  struct Source {
    const NodeLevel *level = nullptr;
    const ModeArray *array = nullptr; // null: dense
  };
  Source source_of(std::size_t mode) const;
  NodeList openings(std::size_t level, std::size_t steps) const;
  template <class ValueAt, class Use>
  static void walk(const NodeLevel &level, const NodeList &nodes, std::size_t begin, std::size_t end,
                   ValueAt value_at, Use use);
};

/// What is proved of the order of a layout's entries.
struct TreePlan {
  packing::PiecePlan pack;
  std::vector<bool> unique; // per level: below one node above, no two nodes have equal keys
};

/// Nothing where the plan has parts that aren't known here, and where a relation skips some of what its
/// arrays hold. Asks the prover about each level.
std::optional<TreePlan> plan_tree(const layout::Layout &layout);

/// The tree of a tensor by the plan of its layout, or nothing: where nodes of an inner level may be equal,
/// and where the arrays' segments don't lie one after the other. The tensor must be valid and outlive the
/// tree.
std::optional<EntryTree> entry_tree(const tensor::Tensor &tensor, const TreePlan &plan);

/// Is every mode of the plan the coordinate of its number, every level of a kind known here, below the level
/// before, and every key in an array of its own subscript?
bool is_plain(const packing::PackPlan &plan, const layout::Layout &layout);

template <class ValueAt, class Use>
void EntryTree::walk(const NodeLevel &level, const NodeList &nodes, std::size_t begin, std::size_t end,
                     ValueAt value_at, Use use) {
  if (begin >= end) return;
  if (level.start.empty()) {
    if (nodes.all)
      for (std::size_t k = begin; k < end; ++k)
        use(k, k + 1, value_at(k));
    else
      for (std::size_t k = begin; k < end; ++k)
        use(k, k + 1, value_at(static_cast<std::size_t>(nodes.begin[k])));
    return;
  }
  const std::vector<std::int64_t> &start = level.start;
  auto node =
      static_cast<std::size_t>(std::ranges::upper_bound(start, nodes.entry(begin)) - start.begin() - 1);
  for (std::size_t k = begin; k < end;) {
    while (start[node + 1] <= nodes.entry(k))
      ++node;
    std::int64_t value = value_at(node), next = start[node + 1];
    std::size_t last = k;
    if (nodes.all)
      last = std::min(end, static_cast<std::size_t>(next));
    else
      while (last < end && nodes.begin[last] < next)
        ++last;
    use(k, last, value);
    k = last;
  }
}

template <class Use>
void EntryTree::each_run(std::size_t mode, const NodeList &nodes, std::size_t begin, std::size_t end,
                         Use use) const {
  Source source = source_of(mode);
  if (!source.array) {
    std::int64_t size = source.level->size;
    bool mirrored = source.level->mirrored;
    walk(
        *source.level, nodes, begin, end,
        [=](std::size_t node) {
          std::int64_t step = static_cast<std::int64_t>(node) % size;
          return mirrored ? size - 1 - step : step;
        },
        use);
    return;
  }
  with_integers(*source.array->array, [&](auto elements) {
    std::int64_t sign = source.array->sign, offset = source.array->offset;
    if (sign == 1)
      walk(
          *source.level, nodes, begin, end, [=](std::size_t node) { return elements[node] + offset; }, use);
    else
      walk(
          *source.level, nodes, begin, end, [=](std::size_t node) { return offset - elements[node]; }, use);
  });
}

} // namespace unravel::convert
