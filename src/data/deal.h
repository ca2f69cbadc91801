#pragma once

#include "data/parallel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// Dealing entries into buckets, each small enough for a cache: the first of two passes over memory; and what
/// sorts within a bucket.
namespace unravel::data {

/// In parallel where that pays: with `entries` entries to be looked at in all.
template <class Work> void run_for_entries(std::size_t entries, std::size_t count, Work work) {
  constexpr std::size_t one_thread_entries = 20000;
  if (entries >= one_thread_entries) return run_parallel(count, work);
  for (std::size_t k = 0; k < count; ++k)
    work(k);
}

/// Of the numbers below `lines` (> 0), how many low bits are told apart within a bucket, so that a bucket
/// gets some thousand entries.
inline unsigned bits_within_bucket(std::size_t entries, std::size_t lines) {
  constexpr unsigned max_bucket_bits = 11;
  auto line_bits = static_cast<unsigned>(std::bit_width(lines - 1));
  return line_bits -
         std::min({static_cast<unsigned>(std::bit_width(entries / 2048)), max_bucket_bits, line_bits});
}

/// Entries are looked at in as many stretches, each by one thread.
constexpr std::size_t deal_parts = 8;
inline std::size_t deal_begin(std::size_t entries, std::size_t part) {
  return entries / deal_parts * part + std::min(part, entries % deal_parts);
}

/// Counts entries by buckets, then puts them: both are called for stretches of entries with a number per
/// bucket, count(begin, length, number) to add to the numbers of the entries' buckets, put(begin, length,
/// next) to put each at its bucket's next place and move that on. Entries of a bucket get neighbouring places
/// in the order of the input. Gives where each bucket begins, and the end. The result doesn't depend on the
/// number of threads.
template <std::size_t stretch, class Count, class Put>
std::vector<std::size_t> deal_stretches(std::size_t entries, std::size_t buckets, Count count, Put put) {
  std::vector<std::vector<std::size_t>> start(deal_parts, std::vector<std::size_t>(buckets));
  auto each_stretch = [&](std::size_t part, auto &work) {
    for (std::size_t e = deal_begin(entries, part), end = deal_begin(entries, part + 1); e < end;
         e += stretch)
      work(e, std::min(stretch, end - e), start[part]);
  };
  run_for_entries(entries, deal_parts, [&](std::size_t part) { each_stretch(part, count); });
  std::vector<std::size_t> begin(buckets + 1);
  std::size_t sum = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    begin[bucket] = sum;
    for (std::vector<std::size_t> &part : start)
      sum += std::exchange(part[bucket], sum);
  }
  begin[buckets] = sum;
  run_for_entries(entries, deal_parts, [&](std::size_t part) { each_stretch(part, put); });
  return begin;
}

/// The same entry by entry: calls put(e, place) for every entry e.
template <class BucketOf, class Put>
std::vector<std::size_t> deal(std::size_t entries, std::size_t buckets, BucketOf bucket_of, Put put) {
  return deal_stretches<1>(
      entries, buckets,
      [&](std::size_t e, std::size_t, std::vector<std::size_t> &number) { ++number[bucket_of(e)]; },
      [&](std::size_t e, std::size_t, std::vector<std::size_t> &next) { put(e, next[bucket_of(e)]++); });
}

/// Digits of radix sorts have at most so many bits.
constexpr unsigned digit_bits = 11;

/// Stable sort by the lowest `bits` bits of the keys, least significant digit first. `other` is of equal
/// length; `key`: a member of an item, unsigned.
template <class Item, class Key>
void sort_digits(Item *items, Item *other, std::size_t count, unsigned bits, Key key) {
  constexpr std::size_t short_input = 256; // for which a comparison sort is as fast
  if (count < short_input) {
    auto part = [=](const Item &item) {
      return bits >= 64 ? std::uint64_t{item.*key} : item.*key & ((std::uint64_t{1} << bits) - 1);
    };
    std::stable_sort(items, items + count, [&](const Item &a, const Item &b) { return part(a) < part(b); });
    return;
  }
  unsigned passes = (bits + digit_bits - 1) / digit_bits;
  if (passes == 0) return;
  // The bits are spread evenly: 24 bits are three passes of 8, not two of 11 and one of 2.
  unsigned width = (bits + passes - 1) / passes;
  Item *from = items, *to = other;
  std::array<std::size_t, (std::size_t{1} << digit_bits)> start;
  for (unsigned pass = 0; pass < passes; ++pass) {
    unsigned shift = pass * width;
    std::uint64_t mask = (std::uint64_t{1} << std::min(width, bits - shift)) - 1;
    std::fill_n(start.begin(), mask + 1, 0);
    for (std::size_t k = 0; k < count; ++k)
      ++start[(from[k].*key >> shift) & mask];
    std::size_t sum = 0;
    for (std::size_t digit = 0; digit <= mask; ++digit)
      sum += std::exchange(start[digit], sum);
    for (std::size_t k = 0; k < count; ++k)
      to[start[(from[k].*key >> shift) & mask]++] = from[k];
    std::swap(from, to);
  }
  if (from != items) std::copy_n(from, count, items);
}

} // namespace unravel::data
