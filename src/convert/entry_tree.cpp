// From a tensor and the plan of its layout to the tree of its entries.
#include "convert/entry_tree.h"

#include "convert/pack_levels.h"
#include "data/parallel.h"
#include "packing/pack_modes.h"
#include "packing/pack_order.h"
#include "report/diagnostic.h"

#include <array>

namespace unravel::convert {

using packing::PackOrders;

namespace {

bool is_known(const Level &level) {
  return level.kind == Level::Kind::Dense || level.kind == Level::Kind::Counted ||
         level.kind == Level::Kind::Segment;
}

class TreeBuilder {
public:
  TreeBuilder(const Tensor &tensor, const TreePlan &plan)
      : tensor_(tensor), plan_(plan.pack), unique_(plan.unique), numbers_(level_numbers(plan.pack, tensor)),
        shape_(tensor.shape()) {}

  std::optional<EntryTree> build() {
    tree_.order = plan_.modes.size();
    for (std::size_t l = 0; l < plan_.levels.size(); ++l) {
      tree_.levels.emplace_back().first_step = tree_.steps.size();
      if (!(plan_.levels[l].is_dense() ? add_dense(l) : add_keyed(l))) return std::nullopt;
    }
    tree_.entries = tree_.levels.back().nodes;
    tree_.negative = plan_.negative;
    if (!take_values()) return std::nullopt;
    number_entries();
    return std::move(tree_);
  }

private:
  std::size_t nodes_above(std::size_t l) const { return l == 0 ? 1 : tree_.levels[l - 1].nodes; }

  /// The position of the first node of a dense level.
  std::int64_t first_position(std::size_t l) const {
    const Level &level = plan_.levels[l];
    return numbers_[l].offset - (level.sign < 0 ? shape_[level.mode] - 1 : 0);
  }

  bool add_dense(std::size_t l) {
    const Level &level = plan_.levels[l];
    NodeLevel &made = tree_.levels[l];
    made.size = shape_[level.mode];
    made.mirrored = level.sign < 0;
    tree_.steps.push_back({level.mode, made.mirrored ? StepOrder::Descending : StepOrder::Ascending});
    return !__builtin_mul_overflow(nodes_above(l), static_cast<std::size_t>(made.size), &made.nodes);
  }

  bool add_keyed(std::size_t l) {
    const Level &level = plan_.levels[l];
    NodeLevel &made = tree_.levels[l];
    if (level.kind == Level::Kind::Counted) {
      std::int64_t count = tensor_.counts.at(level.count);
      if (count < 0) return false;
      made.nodes = static_cast<std::size_t>(count);
    } else if (!read_pointers(l)) {
      return false;
    }
    for (std::size_t k = 0; k < level.keys.size(); ++k) {
      const Key &key = level.keys[k];
      const Elements &array = tensor_.array(key.array);
      if (array.size() < made.nodes) return false;
      made.arrays.push_back({key.mode, &array, key.sign, numbers_[l].key_offsets[k]});
    }
    return add_steps(l);
  }

  /// The nodes of segments one after the other are all positions from 0 on.
  bool read_pointers(std::size_t l) {
    const Level &level = plan_.levels[l];
    const Elements &pointers = tensor_.array(level.pointer);
    std::int64_t base =
        level.parents[0].constant + (plan_.levels[l - 1].is_dense() ? first_position(l - 1) : 0);
    std::size_t nodes = nodes_above(l);
    if (base < 0 || pointers.size() <= nodes || static_cast<std::size_t>(base) >= pointers.size() - nodes)
      return false;
    std::vector<std::int64_t> &children = children_[l];
    children.resize(nodes + 1);
    bool rises = true;
    with_integers(pointers, [&](auto elements) {
      for (std::size_t n = 0; n <= nodes; ++n) {
        children[n] = elements[static_cast<std::size_t>(base) + n];
        rises = rises && (n == 0 ? children[0] == 0 : children[n - 1] <= children[n]);
      }
    });
    tree_.levels[l].nodes = static_cast<std::size_t>(std::max<std::int64_t>(children[nodes], 0));
    return rises;
  }

  bool add_steps(std::size_t l) {
    const Level &level = plan_.levels[l];
    bool last = l + 1 == plan_.levels.size();
    bool unique = unique_[l];
    if (last) tree_.unique = unique;
    if (!unique && !last) return false;
    for (const SortKey &key : level.order)
      tree_.steps.push_back({key.mode, key.descending ? StepOrder::Descending : StepOrder::Ascending});
    if (level.order.size() == level.keys.size()) return true;
    // Of several unordered keys only all together are known to be different.
    if (level.order.size() + 1 < level.keys.size() || !unique) return last;
    for (const Key &key : level.keys)
      if (std::ranges::none_of(level.order, [&](const SortKey &sorted) { return sorted.mode == key.mode; }))
        tree_.steps.push_back({key.mode, StepOrder::Grouped});
    return true;
  }

  /// Entry e has value e: the slot numbers the entries in the order of the levels.
  bool take_values() {
    tree_.values = &tensor_.array(plan_.value);
    std::size_t first = plan_.levels.size() - plan_.slots.size();
    for (std::size_t s = 0; s < plan_.slots.size(); ++s) {
      const Slot &slot = plan_.slots[s];
      if (slot.level != first + s || slot.constant != 0) return false;
      if (plan_.levels[slot.level].is_dense() && first_position(slot.level) != 0) return false;
    }
    return tree_.values->size() == tree_.entries;
  }

  /// From the last level up: the first entry of each node is that of its first child.
  void number_entries() {
    for (std::size_t l = tree_.levels.size() - 1; l-- > 0;) {
      NodeLevel &level = tree_.levels[l];
      const NodeLevel &below = tree_.levels[l + 1];
      if (!below.is_dense() && below.start.empty()) { // the children are the entries
        level.start = std::move(children_.at(l + 1));
        continue;
      }
      level.start.resize(level.nodes + 1);
      for (std::size_t n = 0; n <= level.nodes; ++n) {
        std::int64_t child =
            below.is_dense() ? static_cast<std::int64_t>(n) * below.size : children_.at(l + 1)[n];
        level.start[n] = below.start.empty() ? child : below.start[static_cast<std::size_t>(child)];
      }
    }
  }

  const Tensor &tensor_;
  const PiecePlan &plan_;
  const std::vector<bool> &unique_;
  std::vector<LevelNumbers> numbers_;
  std::vector<std::int64_t> shape_;
  std::map<std::size_t, std::vector<std::int64_t>> children_; // of segments: the first node of each
  EntryTree tree_;
};

} // namespace

bool is_plain(const PackPlan &packing, const layout::Layout &layout) {
  const PiecePlan &plan = packing.pieces.front();
  if (layout.pieces.size() != 1 || plan.levels.empty() || plan.modes.size() != layout.order() ||
      !plan.conditions.empty() || !plan.limits.empty() || !plan.flags.empty() || plan.value.empty())
    return false;
  for (std::size_t m = 0; m < plan.modes.size(); ++m)
    if (plan.modes[m].value != term::variable(layout.coordinates[m]) || !plan.modes[m].is_coordinate())
      return false;
  for (std::size_t l = 0; l < plan.levels.size(); ++l) {
    const Level &level = plan.levels[l];
    if (!is_known(level)) return false;
    if (level.kind == Level::Kind::Segment &&
        (l == 0 || level.parents.size() != 1 || level.parents[0].level != l - 1 ||
         (l > 1 && plan.levels[l - 1].is_dense()) || layout.array(level.pointer)->extents.size() != 1))
      return false;
    for (const Key &key : level.keys)
      if (layout.array(key.array)->extents.size() != 1) return false;
  }
  return true;
}

std::optional<TreePlan> plan_tree(const layout::Layout &layout) {
  if (!packing::plan_scan(layout))
    return std::nullopt; // packing may never make what scanning would have to skip
  TreePlan result;
  try {
    PackPlan packing = packing::plan_packing(layout);
    if (!is_plain(packing, layout)) return std::nullopt;
    result.pack = std::move(packing.pieces.front());
  } catch (const report::Error &error) {
    if (error.diagnostic().kind != report::Kind::cannot_pack) throw;
    return std::nullopt;
  }
  std::vector<Level> &levels = result.pack.levels;
  PackOrders orders(layout, result.pack.modes);
  std::vector<term::Term> relation = packing::derive_modes(layout, layout.pieces.front()).conjuncts;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    bool last = l + 1 == levels.size();
    if (!last && !levels[l].is_dense()) { // plans say so only of the last level
      std::vector<Level> asked = levels;
      asked[l].order.clear();
      orders.decide(asked, l, relation, false);
      result.unique.push_back(asked[l].merge);
    } else {
      result.unique.push_back(levels[l].is_dense() || levels[l].merge);
    }
  }
  return result;
}

std::optional<EntryTree> entry_tree(const Tensor &tensor, const TreePlan &plan) {
  return TreeBuilder(tensor, plan).build();
}

EntryTree::Source EntryTree::source_of(std::size_t mode) const {
  for (const NodeLevel &level : levels) {
    if (level.is_dense() && steps[level.first_step].mode == mode) return {&level, nullptr};
    for (const ModeArray &array : level.arrays)
      if (array.mode == mode) return {&level, &array};
  }
  report::require(false, "a tree has every mode");
  return {};
}

const ModeArray *EntryTree::array_of_entries(std::size_t mode) const {
  Source source = source_of(mode);
  return source.level == &levels.back() ? source.array : nullptr;
}

NodeList EntryTree::prefixes(std::size_t count) const {
  NodeList result;
  if (count == order) {
    result.all = true;
    result.count = entries;
    return result;
  }
  if (count == 0) {
    if (entries > 0) result.begin = {0};
    result.count = result.begin.size();
    return result;
  }
  std::size_t l = 0;
  while (l + 1 < levels.size() && levels[l + 1].first_step < count)
    ++l;
  if (l + 1 == levels.size() || levels[l + 1].first_step != count) return openings(l, count);
  const std::vector<std::int64_t> &start = levels[l].start;
  for (std::size_t n = 0; n + 1 < start.size(); ++n)
    if (start[n] < start[n + 1]) result.begin.push_back(start[n]);
  result.count = result.begin.size();
  return result;
}

/// Nodes within a level of several modes: where the first of these modes change.
NodeList EntryTree::openings(std::size_t l, std::size_t count) const {
  const NodeLevel &level = levels[l];
  NodeList outer = prefixes(level.first_step);
  std::vector<const ModeArray *> compared;
  for (std::size_t step = level.first_step; step < count; ++step)
    compared.push_back(source_of(steps[step].mode).array);
  auto start = [&](std::size_t node) {
    return level.start.empty() ? static_cast<std::int64_t>(node) : level.start[node];
  };
  auto has_entries = [&](std::size_t node) { return level.start.empty() || start(node) < start(node + 1); };
  constexpr std::size_t parts = 8;
  std::array<std::vector<std::int64_t>, parts> found;
  auto search = [&](std::size_t part) {
    std::size_t begin = level.nodes * part / parts, end = level.nodes * (part + 1) / parts;
    if (begin == end) return;
    std::size_t before = begin; // the node before with entries
    while (before > 0 && !has_entries(before - 1))
      --before;
    auto next = std::ranges::lower_bound(outer.begin, start(begin));
    for (std::size_t node = begin; node < end; ++node) {
      if (!has_entries(node)) continue;
      bool opens = next != outer.begin.end() && *next == start(node);
      if (opens) ++next;
      for (const ModeArray *array : compared)
        opens = opens || array->array->integer(node) != array->array->integer(before - 1);
      if (opens) found[part].push_back(start(node));
      before = node + 1;
    }
  };
  if (level.nodes < 20000)
    for (std::size_t part = 0; part < parts; ++part)
      search(part);
  else
    data::run_parallel(parts, search);
  NodeList result;
  for (const std::vector<std::int64_t> &some : found)
    result.begin.insert(result.begin.end(), some.begin(), some.end());
  result.count = result.begin.size();
  return result;
}

} // namespace unravel::convert
