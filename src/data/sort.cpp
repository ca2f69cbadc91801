#include "data/coordinates.h"
#include "data/deal.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

// Sorting of coordinate tensors: keys made of the modes' indices, sorted by radix. The first step scatters by
// the top digit, on all cores; each of the resulting buckets fits in a cache and is finished there, digit by
// digit.
namespace unravel::data {

namespace {

/// Below this many entries the scatter on all cores doesn't pay.
constexpr std::size_t one_core_input = std::size_t{1} << 14;

/// An entry and the part of its coordinate that is being sorted by.
template <class Key, class Entry> struct Keyed {
  Key key;
  Entry entry;
};

/// Stable sort by the lowest `bits` bits of the keys.
template <class Item> void sort_items(std::unique_ptr<Item[]> &items, std::size_t count, unsigned bits) {
  if (bits == 0) return;
  std::unique_ptr<Item[]> other = std::make_unique_for_overwrite<Item[]>(count);
  if (count < one_core_input || bits <= digit_bits / 2)
    return sort_digits(items.get(), other.get(), count, bits, &Item::key);

  unsigned width = std::min(bits, digit_bits), shift = bits - width;
  std::size_t buckets = std::size_t{1} << width;
  const std::vector<std::size_t> bucket_begin = deal(
      count, buckets,
      [from = items.get(), shift, buckets](std::size_t k) { return (from[k].key >> shift) & (buckets - 1); },
      [from = items.get(), to = other.get()](std::size_t k, std::size_t place) { to[place] = from[k]; });
  items.swap(other);
  run_parallel(buckets, [&](std::size_t bucket) {
    std::size_t begin = bucket_begin[bucket];
    sort_digits(items.get() + begin, other.get() + begin, bucket_begin[bucket + 1] - begin, shift,
                &Item::key);
  });
}

/// The bits that the largest index of each mode needs; the shape may be far larger.
std::vector<unsigned> bits_of_modes(const Coordinates &tensor, const std::vector<std::size_t> &modes) {
  std::vector<unsigned> bits(tensor.order());
  for (std::size_t mode : modes) {
    std::uint64_t seen = 0;
    for (std::int64_t index : tensor.index[mode])
      seen |= static_cast<std::uint64_t>(index);
    bits[mode] = static_cast<unsigned>(std::bit_width(seen));
  }
  return bits;
}

/// Calls use(item count, entry_of) with the entries in the sorted order.
template <class Key, class Entry, class Use>
void sort_and_use(const Coordinates &tensor, const std::vector<std::size_t> &modes,
                  const std::vector<unsigned> &bits, Use use) {
  using Item = Keyed<Key, Entry>;
  auto items = std::make_unique_for_overwrite<Item[]>(tensor.size());
  run_ranges(tensor.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e)
      items[e].entry = static_cast<Entry>(e);
  });
  // As many modes as fit in a key are sorted by at once; the least significant modes come first.
  for (std::size_t last = modes.size(); last > 0;) {
    unsigned key_bits = 0;
    std::size_t first = last;
    while (first > 0 && key_bits + bits[modes[first - 1]] <= 8 * sizeof(Key))
      key_bits += bits[modes[--first]];
    run_ranges(tensor.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        std::uint64_t key = 0;
        for (std::size_t m = first; m < last; ++m)
          key = (key << bits[modes[m]]) | static_cast<std::uint64_t>(tensor.index[modes[m]][items[k].entry]);
        items[k].key = static_cast<Key>(key);
      }
    });
    sort_items(items, tensor.size(), key_bits);
    last = first;
  }
  use([&](std::size_t k) { return static_cast<std::size_t>(items[k].entry); });
}

/// Sorts with the smallest kind of key that does. Entries that are in order by the last modes already (a file
/// that is sorted by columns, wanted by rows) need no sorting by these.
template <class Use> void sort_entries(const Coordinates &tensor, std::vector<std::size_t> modes, Use use) {
  std::size_t sorted_from = modes.size();
  while (sorted_from > 1 &&
         is_sorted(tensor, {modes.begin() + static_cast<std::ptrdiff_t>(sorted_from) - 1, modes.end()}))
    --sorted_from;
  modes.resize(sorted_from);
  std::vector<unsigned> bits = bits_of_modes(tensor, modes);
  unsigned sum = 0;
  for (std::size_t mode : modes)
    sum += bits[mode];
  if (tensor.size() > UINT32_MAX)
    sort_and_use<std::uint64_t, std::uint64_t>(tensor, modes, bits, use);
  else if (sum <= 32)
    sort_and_use<std::uint32_t, std::uint32_t>(tensor, modes, bits, use);
  else
    sort_and_use<std::uint64_t, std::uint32_t>(tensor, modes, bits, use);
}

void check_modes(const Coordinates &tensor, const std::vector<std::size_t> &modes) {
  std::vector<bool> seen(tensor.order());
  for (std::size_t mode : modes) {
    report::require(mode < tensor.order() && !seen[mode], "a list of modes names existing modes once each");
    seen[mode] = true;
  }
}

} // namespace

bool is_sorted(const Coordinates &tensor, const std::vector<std::size_t> &modes, bool strictly) {
  for (std::size_t e = 1; e < tensor.size(); ++e) {
    bool equal = true;
    for (std::size_t mode : modes) {
      std::int64_t before = tensor.index[mode][e - 1], after = tensor.index[mode][e];
      if (before > after) return false;
      if (before < after) {
        equal = false;
        break;
      }
    }
    if (equal && strictly) return false;
  }
  return true;
}

std::vector<std::size_t> sorted_order(const Coordinates &tensor, const std::vector<std::size_t> &modes) {
  check_modes(tensor, modes);
  std::vector<std::size_t> order(tensor.size());
  sort_entries(tensor, modes, [&](auto entry_of) {
    for (std::size_t k = 0; k < order.size(); ++k)
      order[k] = entry_of(k);
  });
  return order;
}

void sort(Coordinates &tensor, const std::vector<std::size_t> &modes) {
  check_modes(tensor, modes);
  if (is_sorted(tensor, modes)) return;
  Coordinates result(tensor.shape);
  result.resize(tensor.size());
  result.imaginary.resize(tensor.imaginary.size());
  result.in_halves = tensor.in_halves;
  sort_entries(tensor, modes, [&](auto entry_of) {
    run_ranges(tensor.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t mode = 0; mode < tensor.order(); ++mode)
        for (std::size_t k = begin; k < end; ++k)
          result.index[mode][k] = tensor.index[mode][entry_of(k)];
      for (std::size_t k = begin; k < end; ++k)
        result.value[k] = tensor.value[entry_of(k)];
      for (std::size_t k = begin; k < end && tensor.is_complex(); ++k)
        result.imaginary[k] = tensor.imaginary[entry_of(k)];
    });
  });
  tensor = std::move(result);
}

} // namespace unravel::data
