#include "cost/thresholds.h"

#include <algorithm>
#include <cmath>

namespace unravel::cost {

namespace {

/// The power of two that is nearest to `ratio`, by their quotient. What one profile measures wrongly must not
/// make a kernel useless: never more than a factor of 256 either way.
double power_of_two(double ratio) {
  return std::exp2(std::clamp(std::round(std::log2(ratio)), -8.0, 8.0));
}

/// A number in proportion to a cost, in entries: `measured` where that cost is `there`; here it is `here`.
std::int64_t adapted(std::int64_t measured, double here, double there) {
  return std::max<std::int64_t>(std::llround(static_cast<double>(measured) * power_of_two(here / there)), 1);
}

} // namespace

Thresholds thresholds_of(const machine::Profile &profile) {
  const machine::Profile there = machine::portable(); // where the numbers below were measured
  const double entry = profile.entry;
  // So many entries that they take four wake-ups' time: two threads save half of that. A machine that is busy
  // when it is measured wakes threads several times sooner than an idle one, so less than half is not
  // believed; and one whose processors all are busy wakes them after milliseconds, when it is their turn: no
  // more than four times as many are believed.
  auto by_wake = [&](std::int64_t measured) {
    return std::clamp(adapted(measured, profile.wake / entry, there.wake / there.entry), measured / 2,
                      4 * measured);
  };
  auto by_barrier = [&](std::int64_t measured) {
    return adapted(measured, profile.barrier / entry, there.barrier / there.entry);
  };
  // A mark that is hit, the end of a short loop, a step of a search are branches that nobody foresees.
  auto by_miss = [&](std::int64_t measured) {
    return adapted(measured, profile.branch_miss / entry, there.branch_miss / there.entry);
  };
  // Reading memory that no cache has and nothing announces takes about 100 ns on all machines.
  auto by_entry = [&](std::int64_t measured) { return adapted(measured, 1 / entry, 1 / there.entry); };

  Thresholds made;
  made.least_entries = by_wake(std::int64_t{1} << 19);
  made.least_found_entries = made.least_entries / 2;  // a find takes as long as the entry
  made.least_marked_entries = made.least_entries * 2; // a test for a mark half as long
  made.least_iterations_inside_tiles = by_barrier(4096);
  made.entries_per_row = by_miss(3);
  made.keys_per_mark = by_miss(64);
  made.keys_per_mark_in_long_rows = by_miss(256);
  made.search_ratio = by_miss(512);
  made.chunk_of_entries = static_cast<int>(by_barrier(4096));
  made.owned_chunk = static_cast<int>(by_barrier(2048));
  made.work_of_piece = static_cast<int>(by_miss(1 << 14));
  made.least_work_of_level = by_barrier(20000);
  made.least_work_of_packed_level = by_barrier(12000);
  made.least_work_of_iteration = by_entry(128);
  made.line = power_of_two(profile.line / entry / (there.line / there.entry));
  return made;
}

} // namespace unravel::cost
