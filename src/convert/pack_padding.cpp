// Padding where nothing marks unused positions: zeros at coordinates that have no entry.
#include "convert/pack_levels.h"

#include <algorithm>

namespace unravel::convert {

namespace {

class Padding {
public:
  Padding(Coordinates &coordinates, const PiecePlan &plan, const Level &level, double value)
      : value_(value), coordinates_(coordinates), level_(level), mode_(level.keys[0].mode) {
    for (std::size_t l = 0; l + 1 < plan.levels.size(); ++l)
      above_.push_back(plan.levels[l].mode);
    collect();
  }

  /// The most positions that a node's entries want.
  std::int64_t widest() const {
    std::size_t widest = 0;
    for (const auto &[group, width] : width_)
      widest = std::max(widest, width);
    return static_cast<std::int64_t>(widest);
  }

  void pad() {
    std::int64_t nodes = 1;
    for (std::size_t mode : above_)
      nodes *= coordinates_.shape[mode];
    std::size_t next = 0; // of the nodes that have entries
    const std::vector<std::int64_t> none;
    for (std::int64_t node = 0; node < nodes; ++node) {
      bool filled = next < filled_.size() && filled_[next] == node;
      fill(node, filled ? values_[next] : none);
      next += filled;
    }
  }

private:
  std::int64_t node_of(std::size_t e) const {
    std::int64_t node = 0;
    for (std::size_t mode : above_)
      node = node * coordinates_.shape[mode] + coordinates_.index[mode][e];
    return node;
  }

  /// Nodes that have entries, with their distinct values of the mode; and how wide they make the level.
  void collect() {
    std::vector<std::size_t> modes = above_;
    modes.push_back(mode_);
    for (std::size_t e : sorted_order(coordinates_, modes)) {
      std::int64_t node = node_of(e), value = coordinates_.index[mode_][e];
      if (filled_.empty() || filled_.back() != node) {
        filled_.push_back(node);
        values_.emplace_back();
      }
      if (values_.back().empty() || values_.back().back() != value) values_.back().push_back(value);
    }
    for (std::size_t k = 0; k < filled_.size(); ++k) {
      std::size_t &width = width_[group_of(filled_[k])];
      width = std::max(width, values_[k].size());
    }
  }

  /// Positions are as many for all nodes of a group.
  std::int64_t group_of(std::int64_t node) const {
    if (level_.parents.empty()) return 0;
    for (std::size_t l = above_.size(); --l > level_.parents[0].level;)
      node /= coordinates_.shape[above_[l]];
    return node % coordinates_.shape[above_[level_.parents[0].level]];
  }

  void fill(std::int64_t node, const std::vector<std::int64_t> &values) {
    auto group = width_.find(group_of(node));
    std::size_t width = level_.width > 0        ? static_cast<std::size_t>(level_.width)
                        : group == width_.end() ? 0
                                                : group->second;
    std::size_t missing = width > values.size() ? width - values.size() : 0;
    for (std::int64_t value = 0; missing > 0 && value < coordinates_.shape[mode_]; ++value) {
      if (std::ranges::binary_search(values, value)) continue;
      std::int64_t rest = node;
      for (std::size_t l = above_.size(); l-- > 0; rest /= coordinates_.shape[above_[l]])
        coordinates_.index[above_[l]].push_back(rest % coordinates_.shape[above_[l]]);
      coordinates_.index[mode_].push_back(value);
      if (coordinates_.is_complex()) coordinates_.imaginary.push_back(0);
      coordinates_.value.push_back(value_);
      --missing;
    }
  }

  const double value_;
  Coordinates &coordinates_;
  const Level &level_;
  std::size_t mode_;
  std::vector<std::size_t> above_; // the modes of the levels above, all dense
  std::vector<std::int64_t> filled_;
  std::vector<std::vector<std::int64_t>> values_;
  std::map<std::int64_t, std::size_t> width_; // per group
};

} // namespace

void pad_entries(Tensor &tensor, Coordinates &coordinates, const PiecePlan &plan, double value) {
  if (plan.levels.empty()) return;
  const Level &level = plan.levels.back();
  if (level.kind != Level::Kind::Padded || level.unused) return;
  Padding padding(coordinates, plan, level, value);
  set_width(tensor, plan, level, padding.widest()); // refused before there are zeros for each position
  padding.pad();
}

} // namespace unravel::convert
