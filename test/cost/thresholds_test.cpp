#include "cost/thresholds.h"

#include <gtest/gtest.h>

namespace unravel::cost {
namespace {

TEST(Thresholds, OfThePortableProfileAreThoseThatWereMeasured) {
  const Thresholds made = thresholds_of(machine::portable());
  EXPECT_EQ(made.least_entries, 1 << 19);
  EXPECT_EQ(made.least_found_entries, 1 << 18);
  EXPECT_EQ(made.least_marked_entries, 1 << 20);
  EXPECT_EQ(made.least_iterations_inside_tiles, 4096);
  EXPECT_EQ(made.entries_per_row, 3);
  EXPECT_EQ(made.keys_per_mark, 64);
  EXPECT_EQ(made.keys_per_mark_in_long_rows, 256);
  EXPECT_EQ(made.search_ratio, 512);
  EXPECT_EQ(made.chunk_of_entries, 4096);
  EXPECT_EQ(made.owned_chunk, 2048);
  EXPECT_EQ(made.work_of_piece, 1 << 14);
  EXPECT_EQ(made.least_work_of_level, 20000);
  EXPECT_EQ(made.least_work_of_packed_level, 12000);
  EXPECT_EQ(made.least_work_of_iteration, 128);
  EXPECT_EQ(made.line, 1);
}

TEST(Thresholds, LinesCostWhatTheyDoInEntries) {
  machine::Profile near = machine::portable();
  near.line /= 4;
  EXPECT_EQ(thresholds_of(near).line, 0.25);
  near.entry /= 2;
  EXPECT_EQ(thresholds_of(near).line, 0.5);
}

TEST(Thresholds, SlowWakeUpsNeedMoreWork) {
  machine::Profile slow = machine::portable();
  slow.wake *= 4;
  EXPECT_EQ(thresholds_of(slow).least_entries, 1 << 21);
  EXPECT_EQ(thresholds_of(slow).least_found_entries, 1 << 20);
  EXPECT_EQ(thresholds_of(slow).least_marked_entries, 1 << 22);
  EXPECT_EQ(thresholds_of(slow).least_iterations_inside_tiles, 4096); // a team that is awake
}

/// As where all processors were busy when it was measured.
TEST(Thresholds, AThreadThatHadToWaitForItsTurnIsNotBelieved) {
  machine::Profile busy = machine::portable();
  busy.wake = 2.9e6;
  EXPECT_EQ(thresholds_of(busy).least_entries, 1 << 21);
}

TEST(Thresholds, FastBarriersMakeSmallLevelsWorthIt) {
  machine::Profile fast = machine::portable();
  fast.barrier /= 2;
  EXPECT_EQ(thresholds_of(fast).least_work_of_level, 10000);
  EXPECT_EQ(thresholds_of(fast).least_work_of_packed_level, 6000);
  EXPECT_EQ(thresholds_of(fast).least_iterations_inside_tiles, 2048);
  EXPECT_EQ(thresholds_of(fast).least_entries, 1 << 19);
}

TEST(Thresholds, MissesThatCostMoreMakeHitsRarer) {
  machine::Profile profile = machine::portable();
  profile.branch_miss *= 2;
  EXPECT_EQ(thresholds_of(profile).keys_per_mark, 128);
  EXPECT_EQ(thresholds_of(profile).entries_per_row, 6);
  EXPECT_EQ(thresholds_of(profile).search_ratio, 1024);
}

TEST(Thresholds, AreTheSameForWhatIsMeasuredAlmostAlike) {
  machine::Profile again = machine::portable();
  again.wake *= 1.2;
  again.entry *= 1.1;
  again.branch_miss *= 0.9;
  again.barrier *= 1.3;
  EXPECT_EQ(thresholds_of(again).least_entries, 1 << 19);
  EXPECT_EQ(thresholds_of(again).keys_per_mark, 64);
  EXPECT_EQ(thresholds_of(again).least_work_of_level, 20000);
}

TEST(Thresholds, StayInBoundsWhateverIsMeasured) {
  machine::Profile odd = machine::portable();
  odd.wake = 1e-300;
  odd.barrier = 1e300;
  odd.branch_miss = 1e-300;
  const Thresholds made = thresholds_of(odd);
  EXPECT_EQ(made.least_entries, 1 << 18);
  EXPECT_EQ(made.chunk_of_entries, 1 << 20);
  EXPECT_EQ(made.entries_per_row, 1);
}

} // namespace
} // namespace unravel::cost
