#pragma once

#include "machine/data_caches.h"

#include <string>
#include <vector>

/// What choices between plans need to know of a machine.
namespace unravel::machine {

/// Sums of products with gathered elements, one per segment, in three forms: nanoseconds per entry.
struct SumTimes {
  double plain = 0;   // entry by entry
  double pairs = 0;   // two vectors of two, four entries in a step, the last step masked
  double gathers = 0; // eight entries in a step, by masked AVX-512 gathers; 0: the processor has none

  friend bool operator==(const SumTimes &, const SumTimes &) = default;
};

/// A few facts of a machine. Times are in nanoseconds, of one thread and in cache unless said otherwise, and
/// positive where not said otherwise.
struct Profile {
  std::string processor; // its name, for people

  double wake = 0;        // to wake a sleeping thread and get its answer
  double barrier = 0;     // to get an answer from a thread that is awake and waits for just that
  double entry = 0;       // per entry of a plain sum, `sum += val[p] * x[col[p]]`
  double branch_miss = 0; // of a mispredicted branch

  /// Per element that is read at an index, by plain loads, by AVX2 gathers of 4, by masked AVX-512 gathers of
  /// 8. Gathers: 0 where the processor has none.
  double load = 0, gather4 = 0, gather8 = 0;

  SumTimes even;   // all segments 17 long
  SumTimes uneven; // lengths at random from 1 to 13

  /// Per line that is fetched from 8 MiB, in rows of four that lie anywhere, while others are fetched, too.
  double line = 0;

  double bandwidth = 0;          // GB/s read from memory by one thread
  std::vector<DataCache> caches; // smallest first; empty where the machine doesn't tell

  friend bool operator==(const Profile &, const Profile &) = default;
};

/// The profile for kernels that go to machines nobody has seen, and for builds and tests that must not depend
/// on where they run. It stands for the Xeon (Sapphire Rapids) on which the numbers of docs/choice.md were
/// measured: sums by gathers are in proportion to plain ones as measured there, sums in pairs, which weren't
/// measured, are taken to be like plain ones, and times are round ones, typical of that processor. No caches.
Profile portable();

/// Whether masked gathers are the fastest form of sums over segments, long or short, by 5 percent at least.
bool gathers_pay(const Profile &profile);

/// The facts of this machine, in some 0.2 seconds. Times of loops are the least of several, so that what else
/// runs meanwhile disturbs little.
Profile measure();

} // namespace unravel::machine
