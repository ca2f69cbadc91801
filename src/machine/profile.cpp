#include "machine/profile.h"

#include "machine/facts.h"
#include "machine/stopwatch.h"
#include "machine/sums.h"
#include "machine/team.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace unravel::machine {

Profile portable() {
  Profile profile;
  profile.processor = "portable, for an Intel Xeon (Sapphire Rapids)";
  profile.wake = 100000;
  profile.barrier = 150;
  profile.entry = 0.75;
  profile.branch_miss = 6;
  profile.load = 0.4;
  profile.gather4 = 0.4;
  profile.gather8 = 0.35;
  profile.even = {0.75, 0.75, 0.70};
  profile.uneven = {2, 2, 1.3};
  profile.line = 2.5;
  profile.bandwidth = 10;
  return profile;
}

bool gathers_pay(const Profile &profile) {
  auto pay = [](const SumTimes &times) {
    return times.gathers > 0 && times.gathers <= 0.95 * std::min(times.plain, times.pairs);
  };
  return pay(profile.even) && pay(profile.uneven);
}

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// What is computed and not used must be computed all the same.
template <class Value> void keep(const Value &value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// The least of the times, each in nanoseconds, never 0.
template <class Work> double least_time(int rounds, Work work) {
  double least = never;
  for (int round = 0; round < rounds; ++round) {
    const Stopwatch watch;
    work();
    least = std::min(least, watch.nanoseconds());
  }
  return std::max(least, 1.0);
}

/// As many entries of each kind as fit in the second cache, with x in the first.
constexpr std::size_t entries = std::size_t{1} << 15;
constexpr std::size_t columns_measured = 1024;

class Sums {
public:
  Sums() : y_(entries) {
    std::uniform_int_distribution<std::int32_t> column(0, columns_measured - 1);
    segments_.val.assign(entries + 16, 1.0);
    segments_.x.assign(columns_measured, 1.0);
    for (std::size_t p = 0; p < entries + 16; ++p)
      segments_.col.push_back(column(random_));
  }

  /// Of segments of `length` entries.
  SumTimes even(std::int32_t length) {
    return times([&] { return length; });
  }

  /// Lengths are drawn anew each time: processors learn even long sequences.
  SumTimes uneven() {
    std::uniform_int_distribution<std::int32_t> length(1, 13);
    return times([&] { return length(random_); });
  }

  double plain(std::int32_t length) {
    return time(sum_plain, [&] { return length; });
  }

  /// Per element.
  double time_to_add(double (*add)(const Segments &)) {
    segments_.begin = {0, static_cast<std::int32_t>(entries)};
    return least_time(20, [&] { keep(add(segments_)); }) / static_cast<double>(entries);
  }

private:
  using Form = void (*)(const Segments &, double *);

  template <class Length> SumTimes times(Length length) {
    return {time(sum_plain, length), time(sum_in_pairs, length),
            has_gathers8() ? time(sum_by_gathers, length) : 0};
  }

  /// Per entry.
  template <class Length> double time(Form form, Length length) {
    double least = never;
    for (int round = 0; round < 20; ++round) {
      divide(length);
      const double all = least_time(1, [&] { form(segments_, y_.data()); });
      keep(y_.front());
      least = std::min(least, all / static_cast<double>(segments_.entries()));
    }
    return least;
  }

  /// About as many entries, in segments of the lengths that come next.
  template <class Length> void divide(Length length) {
    segments_.begin = {0};
    while (segments_.entries() + 16 < entries)
      segments_.begin.push_back(segments_.begin.back() + length());
  }

  std::mt19937 random_{1};
  Segments segments_;
  std::vector<double> y_;
};

/// The time of a loop with a branch that is taken where `flags` say so.
double time_of_branches(const std::vector<char> &flags) {
  return least_time(1, [&] {
    std::uint32_t sum = 0;
    for (char flag : flags) {
      if (flag)
        asm volatile("add $3, %0" : "+r"(sum)); // no compiler makes this a conditional move
      else
        asm volatile("xor $5, %0" : "+r"(sum));
    }
    keep(sum);
  });
}

double time_of_branch_miss() {
  std::mt19937 random(2);
  std::vector<char> flags(std::size_t{1} << 14);
  double foreseen = never, unforeseen = never;
  for (int round = 0; round < 15; ++round) {
    std::ranges::fill(flags, round % 2);
    foreseen = std::min(foreseen, time_of_branches(flags));
    for (char &flag : flags)
      flag = static_cast<char>(random() >> 31);
    unforeseen = std::min(unforeseen, time_of_branches(flags));
  }
  // Every other one was missed.
  return std::max(2 * (unforeseen - foreseen) / static_cast<double>(flags.size()), 0.1);
}

/// Of rows of four lines that lie anywhere in so many bytes, per line.
double time_of_lines_in(std::size_t bytes) {
  constexpr std::size_t line = 64 / sizeof(double), row = 4 * line, visits = std::size_t{1} << 14;
  const std::vector<double> data(bytes / sizeof(double), 1);
  std::mt19937 random(3);
  std::uniform_int_distribution<std::size_t> any(0, data.size() / row - 1);
  std::vector<std::size_t> rows(visits);
  for (std::size_t &begin : rows)
    begin = row * any(random);
  const double least = least_time(20, [&] {
    double first = 0, second = 0, third = 0, fourth = 0;
    for (const std::size_t begin : rows) {
      first += data[begin], second += data[begin + line];
      third += data[begin + 2 * line], fourth += data[begin + 3 * line];
    }
    keep(first + second + third + fourth);
  });
  return least / static_cast<double>(4 * visits);
}

/// What it takes longer than from the first cache.
double time_of_line() {
  return std::max(time_of_lines_in(std::size_t{8} << 20) - time_of_lines_in(std::size_t{16} << 10), 0.01);
}

/// GB/s. `cache`: bytes of the largest one.
double bandwidth_beyond(std::int64_t cache) {
  constexpr std::size_t words_per_line = 8;
  const std::size_t bytes = static_cast<std::size_t>(std::clamp<std::int64_t>(cache, 64 << 20, 128 << 20));
  const std::vector<std::uint64_t> memory(bytes / sizeof(std::uint64_t), 1);
  const double least = least_time(3, [&] {
    std::uint64_t sum = 0;
    for (std::size_t word = 0; word < memory.size(); word += words_per_line)
      sum += memory[word];
    keep(sum);
  });
  return static_cast<double>(bytes) / least;
}

/// To three digits, which is more than can be measured.
double rounded(double value) {
  if (value == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  // A division by a power of ten that is a whole number gives the shortest decimal.
  return unit < 1 ? std::round(value / unit) / std::round(1 / unit) : std::round(value / unit) * unit;
}

} // namespace

Profile measure() {
  Profile profile;
  profile.processor = processor_name();
  profile.wake = time_to_wake();
  profile.barrier = time_of_barrier().value_or(portable().barrier);
  profile.branch_miss = time_of_branch_miss();
  Sums sums;
  profile.entry = sums.plain(32);
  profile.load = sums.time_to_add(add_loaded);
  if (has_gathers4()) profile.gather4 = sums.time_to_add(add_gathered4);
  if (has_gathers8()) profile.gather8 = sums.time_to_add(add_gathered8);
  profile.even = sums.even(17);
  profile.uneven = sums.uneven();
  profile.line = time_of_line();
  profile.caches = data_caches();
  profile.bandwidth = bandwidth_beyond(profile.caches.empty() ? 0 : profile.caches.back().bytes);
  for (const Fact &fact : facts())
    fact.in(profile) = rounded(fact.of(profile));
  return profile;
}

} // namespace unravel::machine
