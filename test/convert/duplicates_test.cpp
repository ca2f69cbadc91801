// Entries of one coordinate, combined by an operator.
#include "convert/duplicates.h"

#include "report/diagnostic.h"

#include <gtest/gtest.h>

namespace unravel::convert::test {

namespace {

/// (1) 5, (0) -2, (1) 3, (1) 4, (0) 7
data::Coordinates vector() {
  data::Coordinates entries({2});
  for (const auto &[index, value] :
       std::vector<std::pair<std::int64_t, double>>{{1, 5}, {0, -2}, {1, 3}, {1, 4}, {0, 7}})
    entries.append({index}, value);
  return entries;
}

std::vector<double> combined(const value::Operator &op, value::Type type = value::Type::Float64) {
  data::Coordinates entries = vector();
  combine_duplicates(entries, op, type);
  EXPECT_EQ(entries.index[0], (std::vector<std::int64_t>{0, 1}));
  return entries.value;
}

} // namespace

TEST(Duplicates, InTheirOrder) {
  using Values = std::vector<double>;
  EXPECT_EQ(combined(value::Operator::Minimum), (Values{-2, 3}));
  EXPECT_EQ(combined(value::Operator::Maximum), (Values{7, 5}));
  EXPECT_EQ(combined(value::Operator::First), (Values{-2, 5}));
  EXPECT_EQ(combined(value::Operator::Second), (Values{7, 4}));
  EXPECT_EQ(combined(value::Operator::Pair), (Values{1, 1}));
  EXPECT_EQ(combined(value::Operator::Multiply), (Values{-14, 60}));
  EXPECT_EQ(combined(value::Operator::Divide), (Values{-2.0 / 7, 5.0 / 3 / 4}));
  EXPECT_EQ(combined(value::Operator::Divide, value::Type::Int32), (Values{0, 0}));
}

TEST(Duplicates, IntegersWrapAround) {
  data::Coordinates entries({1});
  for (int k = 0; k < 2; ++k)
    entries.append({0}, 100);
  combine_duplicates(entries, value::Operator::Multiply, value::Type::Int8);
  EXPECT_EQ(entries.value, std::vector<double>{16});
}

/// Packing would add 0.5 and 1.5 up, and store an integer.
TEST(Duplicates, WhatTheTypeDoesntHoldIsRefused) {
  data::Coordinates entries({1});
  entries.append({0}, 0.5);
  entries.append({0}, 1.5);
  try {
    combine_duplicates(entries, value::Operator::Maximum, value::Type::Int32);
    ADD_FAILURE() << "they are combined";
  } catch (const report::Error &error) {
    EXPECT_EQ(error.diagnostic().kind, report::Kind::value_width);
    EXPECT_EQ(error.diagnostic().message,
              "entries of one coordinate are combined as int32 values, but 0.5 is not one");
  }
  entries.imaginary = {0, 1};
  EXPECT_THROW(combine_duplicates(entries, value::Operator::First, value::Type::Float64), report::Error);
}

TEST(Duplicates, ComplexNumbers) {
  data::Coordinates entries({1, 1});
  entries.append({0, 0}, 1, 2);
  entries.append({0, 0}, 3, -1);
  combine_duplicates(entries, value::Operator::Multiply, value::Type::Complex128);
  EXPECT_EQ(entries.value, std::vector<double>{5});
  EXPECT_EQ(entries.imaginary, std::vector<double>{5});
}

} // namespace unravel::convert::test
