#include "run/joins.h"

#include "combine/structure.h"
#include "convert/entry_tree.h"
#include "convert/pack.h"
#include "layout/layout.h"
#include "pipeline/plans.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace unravel::run {

namespace {

constexpr std::size_t most_counted = 1 << 24; // entries, and values of an index
/// Proving that arrays are a tree takes a millisecond or two, as long as making a list of so many entries.
constexpr std::size_t least_in_tree = 1 << 15;

/// How many entries tensors have at each coordinate of a mode.
class Histograms {
public:
  explicit Histograms(const std::map<std::string, tensor::Tensor> &tensors) : tensors_(tensors) {}

  bool may_have(const std::string &name, std::size_t mode) const {
    const auto tensor = tensors_.find(name);
    return tensor != tensors_.end() && !combine::has_slot_of_each(tensor->second.layout) &&
           tensor->second.entries() <= most_counted &&
           tensor->second.shape()[mode] <= std::int64_t{most_counted};
  }

  /// None where they can't be counted.
  const std::vector<double> *of(const std::string &name, std::size_t mode) {
    const auto known = known_.find({name, mode});
    if (known != known_.end()) return &known->second;
    std::optional<std::vector<double>> counts = in_tree(name, mode);
    if (!counts) counts = in_list(name, mode);
    return counts ? &known_.emplace(std::pair(name, mode), std::move(*counts)).first->second : nullptr;
  }

private:
  /// Of the tensor's own arrays, where these are a tree: fifteen times as fast as by a list.
  std::optional<std::vector<double>> in_tree(const std::string &name, std::size_t mode) {
    const auto [found, is_new] = trees_.try_emplace(name);
    std::optional<convert::EntryTree> &tree = found->second;
    const tensor::Tensor &tensor = tensors_.at(name);
    if (is_new && tensor.entries() >= least_in_tree)
      if (const auto &plan = plan_of(tensor.layout)) tree = convert::entry_tree(tensor, *plan);
    if (!tree) return std::nullopt;
    const std::int64_t size = tensor.shape()[mode];
    std::vector<double> counts(static_cast<std::size_t>(size), 0);
    tree->each_run(mode, {true, tree->entries, {}}, 0, tree->entries,
                   [&](std::size_t first, std::size_t end, std::int64_t coordinate) {
                     if (0 <= coordinate && coordinate < size) // not so where nobody validated
                       counts[static_cast<std::size_t>(coordinate)] += static_cast<double>(end - first);
                   });
    return counts;
  }

  const std::optional<convert::TreePlan> &plan_of(const layout::Layout &layout) {
    const auto [plan, is_new] = plans_.try_emplace(layout::to_text(layout));
    if (is_new) plan->second = convert::plan_tree(layout);
    return plan->second;
  }

  /// Of its coordinates.
  std::optional<std::vector<double>> in_list(const std::string &name, std::size_t mode) {
    const auto [found, is_new] = entries_.try_emplace(name);
    std::optional<data::Coordinates> &entries = found->second;
    if (is_new) entries = report::unless_refused([&] { return convert::unpack(tensors_.at(name)); });
    if (!entries) return std::nullopt;
    std::vector<double> counts(static_cast<std::size_t>(entries->shape[mode]), 0);
    for (const std::int64_t coordinate : entries->index[mode])
      ++counts[static_cast<std::size_t>(coordinate)];
    return counts;
  }

  const std::map<std::string, tensor::Tensor> &tensors_;
  std::map<std::string, std::optional<convert::TreePlan>> plans_; // by the layout's text
  std::map<std::string, std::optional<convert::EntryTree>> trees_;
  std::map<std::string, std::optional<data::Coordinates>> entries_; // of those that are no trees
  std::map<std::pair<std::string, std::size_t>, std::vector<double>> known_;
};

std::optional<double> ratio_of(const std::vector<double> &one, const std::vector<double> &other) {
  double pairs = 0, of_one = 0, of_other = 0;
  for (std::size_t k = 0; k < std::min(one.size(), other.size()); ++k)
    pairs += one[k] * other[k];
  for (const double count : one)
    of_one += count;
  for (const double count : other)
    of_other += count;
  if (of_one == 0 || of_other == 0) return std::nullopt;
  return std::max(pairs, 1.0) * static_cast<double>(one.size()) / of_one / of_other;
}

} // namespace

schedule::Counts joins_of(const compute::Program &program,
                          const std::map<std::string, tensor::Tensor> &tensors) {
  Histograms histograms(tensors);
  schedule::Counts joins;
  const auto meet = [&](const compute::Access &one, const compute::Access &other) {
    std::optional<std::pair<std::size_t, std::size_t>> modes;
    for (std::size_t k = 0; k < one.subscripts.size(); ++k)
      for (std::size_t l = 0; l < other.subscripts.size(); ++l) {
        const std::string &index = one.subscripts[k].index;
        if (index.empty() || index != other.subscripts[l].index) continue;
        if (modes) return; // they share several
        modes = {k, l};
      }
    if (!modes || !histograms.may_have(one.tensor, modes->first) ||
        !histograms.may_have(other.tensor, modes->second))
      return;
    const std::string name = pipeline::join_name(one.tensor, modes->first, other.tensor, modes->second);
    const std::vector<double> *of_one = histograms.of(one.tensor, modes->first);
    const std::vector<double> *of_other = of_one ? histograms.of(other.tensor, modes->second) : nullptr;
    if (const auto ratio = of_other ? ratio_of(*of_one, *of_other) : std::nullopt)
      joins.emplace(name, *ratio);
  };
  for (const compute::Statement &statement : program.statements) {
    std::vector<compute::Access> read;
    compute::each_read(statement, [&](const compute::Access &access) { read.push_back(access); });
    for (std::size_t one = 0; one < read.size(); ++one)
      for (std::size_t other = one + 1; other < read.size(); ++other)
        meet(read[one], read[other]);
  }
  return joins;
}

} // namespace unravel::run
