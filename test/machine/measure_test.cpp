// What is measured is finite and not negative; nothing is said of speed, which other jobs change. The loops
// that are timed compute what they should.
#include "machine/profile.h"

#include "machine/facts.h"
#include "machine/sums.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace unravel::machine {
namespace {

TEST(MachineMeasure, EveryFactIsANumberThatAFileMayHave) {
  const Profile profile = measure();
  for (const Fact &fact : facts()) {
    const double value = fact.of(profile);
    EXPECT_TRUE(std::isfinite(value)) << fact.name;
    EXPECT_TRUE(value > 0 || (value == 0 && fact.may_be_zero)) << fact.name << " " << value;
  }
  EXPECT_EQ(profile.gather4 > 0, has_gathers4());
  EXPECT_EQ(profile.gather8 > 0, has_gathers8());
  EXPECT_EQ(profile.even.gathers > 0, has_gathers8());
  EXPECT_FALSE(profile.processor.empty());
  EXPECT_EQ(from_json(to_json(profile), "file"), profile);
}

Segments some_segments() {
  Segments segments;
  segments.begin = {0};
  for (int length : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 0, 0, 13, 24})
    segments.begin.push_back(segments.begin.back() + length);
  for (std::size_t p = 0; p < segments.entries() + 8; ++p) {
    segments.col.push_back(static_cast<std::int32_t>(7 * p % 31));
    segments.val.push_back(static_cast<double>(p % 5) + 1);
  }
  segments.x.resize(31);
  std::iota(segments.x.begin(), segments.x.end(), 1.0);
  return segments;
}

TEST(MachineSums, EveryFormHasTheSameSums) {
  const Segments segments = some_segments();
  std::vector<double> expected(segments.count());
  for (std::size_t k = 0; k < segments.count(); ++k)
    for (std::int32_t p = segments.begin[k]; p < segments.begin[k + 1]; ++p)
      expected[k] += segments.val[static_cast<std::size_t>(p)] *
                     segments.x[static_cast<std::size_t>(segments.col[static_cast<std::size_t>(p)])];
  std::vector<double> y(segments.count(), -1);
  sum_plain(segments, y.data());
  EXPECT_EQ(y, expected);
  y.assign(segments.count(), -1);
  sum_in_pairs(segments, y.data());
  EXPECT_EQ(y, expected);
  if (!has_gathers8()) return;
  y.assign(segments.count(), -1);
  sum_by_gathers(segments, y.data());
  EXPECT_EQ(y, expected);
}

TEST(MachineSums, EveryWayToReadHasTheSameSum) {
  Segments segments = some_segments();
  segments.begin = {0, 104};
  double expected = 0;
  for (std::size_t p = 0; p < segments.entries(); ++p)
    expected += segments.x[static_cast<std::size_t>(segments.col[p])];
  EXPECT_EQ(add_loaded(segments), expected);
  EXPECT_EQ(has_gathers4() ? add_gathered4(segments) : expected, expected);
  EXPECT_EQ(has_gathers8() ? add_gathered8(segments) : expected, expected);
}

} // namespace
} // namespace unravel::machine
