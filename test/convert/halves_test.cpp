// Integers that doubles would round, on their way through coordinates.
#include "convert/halves.h"

#include "convert/convert.h"
#include "convert/duplicates.h"
#include "convert/storable.h"
#include "packing/pack_layouts.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace unravel::convert::test {

namespace {

using value::Scalar;
using value::Type;

constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
constexpr double infinity = std::numeric_limits<double>::infinity();

using Integers = std::map<std::vector<std::int64_t>, std::int64_t>;

/// By coordinate; zeros left out.
Integers integers_of(const tensor::Tensor &tensor) {
  const data::Coordinates entries = unpack_halves(tensor);
  Integers all;
  for (std::size_t e = 0; e < entries.size(); ++e)
    all[entries.coordinate(e)] +=
        value::whole_of({entries.value[e], entries.imaginary_of(e)}, Type::Int64)->integer;
  std::erase_if(all, [](const auto &each) { return each.second == 0; });
  return all;
}

} // namespace

TEST(Halves, MakeTheNumberAgain) {
  for (const Type type : {Type::Int64, Type::UInt64})
    for (const std::int64_t number : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, large, -large,
                                      INT64_MAX, INT64_MIN, INT64_MIN + 1, std::int64_t{1} << 32})
      EXPECT_EQ(value::whole_of(value::halves_of({type, 0, number}), type)->integer, number);
  // Fills come as doubles.
  EXPECT_EQ(value::whole_of({infinity, 0}, Type::Int64)->integer, INT64_MAX);
  EXPECT_EQ(value::whole_of({-infinity, 0}, Type::Int64)->integer, INT64_MIN);
  EXPECT_EQ(value::whole_of({infinity, 0}, Type::UInt64)->integer, -1);
  EXPECT_EQ(value::whole_of({-0x1p40, 0}, Type::Int64)->integer, -(std::int64_t{1} << 40));
  EXPECT_EQ(value::halves_of({Type::Int64, 0, -7}), std::complex<double>(-7, 0));
}

TEST(Halves, RefuseWhatTheTypeDoesNotHold) {
  EXPECT_FALSE(value::whole_of({-1, 0}, Type::UInt64));
  EXPECT_FALSE(value::whole_of({0.5, 0}, Type::Int64));
  EXPECT_FALSE(value::whole_of({0, 0x1p31}, Type::Int64));
  EXPECT_TRUE(value::whole_of({0, 0x1p31}, Type::UInt64));
  EXPECT_FALSE(value::whole_of({0, 0x1p32}, Type::UInt64));
  EXPECT_FALSE(value::whole_of({0, infinity}, Type::Int64));
  EXPECT_FALSE(value::whole_of({std::nan(""), 0}, Type::Int64));
}

TEST(Halves, AreNeededWhereDoublesMayRound) {
  using Numbers = std::vector<std::int64_t>;
  EXPECT_FALSE(need_halves(Type::Int64, Numbers{large - 1}));
  EXPECT_TRUE(need_halves(Type::Int64, Numbers{large}));
  EXPECT_TRUE(need_halves(Type::Int64, Numbers{large - 1, -1})); // a sum may be
  EXPECT_TRUE(need_halves(Type::Int64, Numbers{INT64_MIN}));
  EXPECT_FALSE(need_halves(Type::Int64, Numbers{-1}));
  EXPECT_TRUE(need_halves(Type::UInt64, Numbers{-1}));
}

TEST(Halves, AreCombined) {
  data::Coordinates entries({2});
  for (const std::int64_t number : {large + 1, large}) {
    const std::complex<double> halves = value::halves_of({Type::Int64, 0, number});
    entries.append({1}, halves.real(), halves.imag());
  }
  entries.in_halves = true;
  data::Coordinates least = entries, sum = entries;
  combine_duplicates(least, value::Operator::Minimum, Type::Int64);
  EXPECT_EQ(value::whole_of({least.value[0], least.imaginary[0]}, Type::Int64)->integer, large);
  combine_duplicates(sum, value::Operator::Add, Type::Int64);
  EXPECT_EQ(value::whole_of({sum.value[0], sum.imaginary[0]}, Type::Int64)->integer, 2 * large + 1);
}

/// Of layouts too that mean elements by others, or by their opposites.
TEST(Halves, GoThroughAllLayouts) {
  data::Random random(3);
  PackOptions options;
  options.value = Type::Int64;
  std::size_t tried = 0;
  for (const layout::Layout &layout : packing::layouts_of(2)) {
    const packing::PackPlan plan = packing::plan_packing(layout);
    data::Coordinates entries = tensor::canonical(tensor::random_entries(random, {6, 6}, 30));
    if (!fits(layout, entries.shape) || layout::type_of_values(layout, Type::Int64) != Type::Int64) continue;
    entries = storable(layout, plan, std::move(entries));
    Integers expected;
    for (std::size_t e = 0; e < entries.size(); ++e) {
      const auto number = static_cast<std::int64_t>(entries.value[e]) * large; // opposite ones stay opposite
      expected[entries.coordinate(e)] += number;
      const std::complex<double> halves = value::halves_of({Type::Int64, 0, number});
      entries.value[e] = halves.real();
      entries.imaginary.push_back(halves.imag());
    }
    std::erase_if(expected, [](const auto &each) { return each.second == 0; });
    const tensor::Tensor packed = pack_halves(layout, entries, options);
    EXPECT_EQ(integers_of(packed), expected) << layout.name;
    EXPECT_EQ(integers_of(convert(packed, tensor::shipped("csc", 2), {options, true}).tensor), expected)
        << layout.name;
    ++tried;
  }
  EXPECT_GT(tried, 20u);
}

} // namespace unravel::convert::test
