#include "data/coordinates.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace unravel::data {

namespace {

Coordinates random_entries(std::vector<std::int64_t> shape, std::size_t entries, unsigned seed) {
  std::mt19937_64 random(seed);
  Coordinates result(std::move(shape));
  for (std::size_t e = 0; e < entries; ++e) {
    std::vector<std::int64_t> coordinate;
    for (std::int64_t extent : result.shape)
      coordinate.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent)));
    result.append(coordinate, static_cast<double>(e));
  }
  return result;
}

std::vector<std::int64_t> key_of(const Coordinates &tensor, std::size_t entry,
                                 const std::vector<std::size_t> &modes) {
  std::vector<std::int64_t> key;
  for (std::size_t mode : modes)
    key.push_back(tensor.index[mode][entry]);
  return key;
}

/// Sorting checked against std::stable_sort; the values are the entries' original numbers.
void check_sort(const Coordinates &input, const std::vector<std::size_t> &modes) {
  std::vector<std::size_t> expected(input.size());
  for (std::size_t e = 0; e < expected.size(); ++e)
    expected[e] = e;
  std::stable_sort(expected.begin(), expected.end(), [&](std::size_t a, std::size_t b) {
    return key_of(input, a, modes) < key_of(input, b, modes);
  });
  Coordinates sorted = input;
  sort(sorted, modes);
  ASSERT_EQ(sorted.size(), input.size());
  EXPECT_TRUE(is_sorted(sorted, modes));
  for (std::size_t e = 0; e < expected.size(); ++e) {
    ASSERT_EQ(sorted.value[e], input.value[expected[e]]);
    ASSERT_EQ(sorted.coordinate(e), input.coordinate(expected[e]));
  }
}

TEST(Coordinates, SortsLikeAStableComparisonSort) {
  for (std::size_t entries : {0u, 1u, 2u, 100u, 511u, 512u, 5000u})
    for (std::vector<std::size_t> modes : {std::vector<std::size_t>{0, 1, 2}, {2, 0, 1}, {1}, {}}) {
      check_sort(random_entries({7, 1, 40}, entries, 1), modes);
      check_sort(random_entries({1000, 70000, 3}, entries, 2), modes);
      check_sort(random_entries({1000, 70000, 3}, 20 * entries, 7), modes);
    }
}

TEST(Coordinates, SortsKeysOfMoreThan64Bits) {
  std::int64_t large = INT64_MAX;
  for (std::size_t entries : {100u, 3000u}) {
    check_sort(random_entries({large, large, large}, entries, 3), {0, 1, 2});
    Coordinates few_rows = random_entries({large, large, large}, entries, 4);
    for (std::size_t e = 0; e < entries; ++e)
      few_rows.index[1][e] %= 3, few_rows.index[0][e] %= 2;
    check_sort(few_rows, {1, 0, 2});
    check_sort(few_rows, {0, 1});
  }
}

TEST(Coordinates, SortednessIsTold) {
  Coordinates tensor({3, 3});
  EXPECT_TRUE(is_sorted(tensor, {0, 1}, true));
  tensor.append({0, 2}, 1);
  tensor.append({1, 0}, 1);
  tensor.append({1, 0}, 1);
  EXPECT_TRUE(is_sorted(tensor, {0, 1}));
  EXPECT_FALSE(is_sorted(tensor, {0, 1}, true));
  EXPECT_FALSE(is_sorted(tensor, {1, 0}));
}

TEST(Coordinates, DuplicatesAddUp) {
  Coordinates tensor = random_entries({4, 5}, 300, 5);
  std::map<std::vector<std::int64_t>, double> sums;
  for (std::size_t e = 0; e < tensor.size(); ++e)
    sums[tensor.coordinate(e)] += tensor.value[e];
  sort(tensor, {0, 1});
  combine_duplicates(tensor);
  ASSERT_EQ(tensor.size(), sums.size());
  std::size_t e = 0;
  for (const auto &[coordinate, sum] : sums) {
    EXPECT_EQ(tensor.coordinate(e), coordinate);
    EXPECT_EQ(tensor.value[e++], sum);
  }
  Coordinates scalar{std::vector<std::int64_t>{}};
  scalar.append({}, 2);
  scalar.append({}, 3);
  combine_duplicates(scalar);
  EXPECT_EQ(scalar.value, std::vector<double>{5});
}

TEST(Coordinates, TransposesAndLeavesOutUnitModes) {
  Coordinates tensor = random_entries({4, 1, 6}, 20, 6);
  Coordinates turned = transpose(tensor, {2, 0, 1});
  EXPECT_EQ(turned.shape, (std::vector<std::int64_t>{6, 4, 1}));
  EXPECT_EQ(turned.index[0], tensor.index[2]);
  EXPECT_EQ(transpose(turned, {1, 2, 0}), tensor);
  EXPECT_EQ(with_order(tensor, 2).shape, (std::vector<std::int64_t>{4, 6}));
  EXPECT_EQ(with_order(tensor, 1), tensor);
  EXPECT_EQ(with_order(tensor, 4), tensor);
  EXPECT_EQ(with_order(Coordinates({1, 2, 1}), 2).shape, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(with_order(Coordinates({1, 1}), 1).shape, std::vector<std::int64_t>{1});
  EXPECT_EQ(with_order(Coordinates({1, 1}), 0).shape, std::vector<std::int64_t>{});
}

TEST(Coordinates, DenseAndBack) {
  std::vector<double> values = {1, 0, 3, 4, 5, 6};
  Coordinates tensor = from_dense({2, 3}, values);
  EXPECT_EQ(tensor.size(), 6u);
  EXPECT_EQ(tensor.coordinate(4), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(to_dense(tensor), values);
  tensor.append({0, 1}, 7);
  EXPECT_EQ(to_dense(tensor)[1], 7);
  EXPECT_EQ(to_dense(from_dense({0, 3}, {})).size(), 0u);
  EXPECT_EQ(to_dense(from_dense({}, {4})), std::vector<double>{4});
}

TEST(Coordinates, CountsElements) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({3, 4}), 12);
  EXPECT_EQ(element_count({INT64_MAX, 2}), -1);
  EXPECT_EQ(element_count({INT64_MAX, 2, 0}), 0);
}

} // namespace
} // namespace unravel::data
