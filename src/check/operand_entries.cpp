#include "check/operand_entries.h"

#include "report/diagnostic.h"

#include <bit>

namespace unravel::check {

EntryIndex::EntryIndex(const std::vector<std::vector<std::int64_t>> &index, std::size_t count,
                       const std::vector<std::size_t> &modes)
    : modes_(modes.size()), mask_(modes.empty() ? 0 : std::bit_ceil(count + 1) - 1) {
  report::require(count < UINT32_MAX, "the reference evaluator is given fewer than 2^32 entries");
  std::vector<std::uint32_t> bucket(count);
  bucket_begin_.assign(mask_ + 2, 0);
  for (std::size_t e = 0; e < count; ++e) {
    std::uint64_t hash = 0;
    for (std::size_t mode : modes)
      hash = mixed(hash, index[mode][e]);
    bucket[e] = static_cast<std::uint32_t>(hash & mask_);
    ++bucket_begin_[bucket[e] + 1];
  }
  for (std::size_t b = 1; b < bucket_begin_.size(); ++b)
    bucket_begin_[b] += bucket_begin_[b - 1];
  std::vector<std::uint32_t> next(bucket_begin_.begin(), bucket_begin_.end() - 1);
  entries_.resize(count);
  for (std::size_t e = 0; e < count; ++e)
    entries_[next[bucket[e]]++] = static_cast<std::uint32_t>(e);
}

Entries::Entries(const data::Coordinates &tensor, value::Type type)
    : tensor_(tensor), type_(type), all_(data::natural_modes(tensor.order())) {
  if (!data::is_sorted(tensor, all_, true)) add_up();
  const std::int64_t volume = data::element_count(tensor.shape);
  is_sparse_ = volume < 0 || size() < static_cast<std::size_t>(volume);
}

void Entries::add_up() {
  const EntryIndex by_all(tensor_.index, tensor_.size(), all_);
  std::vector<std::size_t> first(tensor_.size()); // entry of each one's coordinate
  bool is_any = false;
  for (std::size_t e = 0; e < tensor_.size(); ++e) {
    const Coordinate at = tensor_.coordinate(e);
    for (std::uint32_t other : by_all.candidates(at.data()))
      if (tensor_.agree(other, e, all_)) {
        first[e] = other;
        is_any = is_any || other != e;
        break;
      }
  }
  if (!is_any) return;
  distinct_.resize(tensor_.order());
  std::vector<std::size_t> number(tensor_.size());
  for (std::size_t e = 0; e < tensor_.size(); ++e) {
    const Value entry = entry_of(tensor_, e, type_);
    if (first[e] == e) { // added to 0, a zero would lose its sign
      number[e] = sums_.size();
      sums_.push_back({entry});
      for (std::size_t mode : all_)
        distinct_[mode].push_back(tensor_.index[mode][e]);
      continue;
    }
    auto &[sum, sizes, cancels] = sums_[number[first[e]]];
    cancels = cancels || !(sum.value * entry.value > 0);
    sizes = (sizes == 0 ? sum.size() : sizes) + entry.size();
    sum.value += entry.value, sum.imaginary += entry.imaginary;
    sum.integer = added(sum.integer, entry.integer);
  }
}

const EntryIndex &Entries::by(const std::vector<std::size_t> &modes) {
  const auto known = indices_.find(modes);
  if (known != indices_.end()) return known->second;
  return indices_.try_emplace(modes, has_sums() ? distinct_ : tensor_.index, size(), modes).first->second;
}

std::size_t Entries::find(const std::int64_t *at) {
  if (!by_all_) by_all_ = &by(all_);
  std::size_t found = none;
  each(*by_all_, all_, at, [&](std::size_t e) { found = e; });
  return found;
}

} // namespace unravel::check
