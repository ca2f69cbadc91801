#include "check/reference.h"

#include "data/generate.h"

#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace unravel::check {

using data::Coordinates;

namespace {

Coordinates random_tensor(std::vector<std::int64_t> shape, std::size_t entries, unsigned seed) {
  std::mt19937_64 random(seed);
  Coordinates result(std::move(shape));
  for (std::size_t e = 0; e < entries; ++e) { // duplicates included
    std::vector<std::int64_t> coordinate;
    for (std::int64_t extent : result.shape)
      coordinate.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent)));
    result.append(coordinate, static_cast<double>(random() % 9) - 4);
  }
  return result;
}

/// The value at a coordinate, summed over duplicates, and the sum of absolute values; 0 outside the shape.
std::pair<double, double> value_at(const Coordinates &tensor, const std::vector<std::int64_t> &coordinate) {
  double sum = 0, magnitude = 0;
  for (std::size_t e = 0; e < tensor.size(); ++e)
    if (tensor.coordinate(e) == coordinate) sum += tensor.value[e], magnitude += std::fabs(tensor.value[e]);
  return {sum, magnitude};
}

/// Runs over all values of all indices in [low, high).
void check(const ReferenceProduct &product, std::int64_t low, std::int64_t high) {
  std::size_t elements = static_cast<std::size_t>(data::element_count(product.shape));
  std::vector<double> expected(elements), magnitude(elements);
  std::vector<std::int64_t> index(product.extents.size(), low);
  auto at = [&](const std::vector<ReferenceSubscript> &subscripts) {
    std::vector<std::int64_t> coordinate;
    for (const ReferenceSubscript &s : subscripts)
      coordinate.push_back(index[static_cast<std::size_t>(s.index)] + s.shift);
    return coordinate;
  };
  for (;;) {
    bool inside = true;
    for (std::size_t i = 0; i < index.size(); ++i)
      inside = inside && (product.extents[i] < 0 || (index[i] >= 0 && index[i] < product.extents[i]));
    std::size_t offset = 0;
    std::vector<std::int64_t> target = at(product.result);
    for (std::size_t mode = 0; mode < target.size(); ++mode) {
      inside = inside && target[mode] >= 0 && target[mode] < product.shape[mode];
      if (inside)
        offset =
            offset * static_cast<std::size_t>(product.shape[mode]) + static_cast<std::size_t>(target[mode]);
    }
    if (inside) {
      double term = product.constant, size = std::fabs(product.constant);
      for (const ReferenceAccess &access : product.factors) {
        auto [value, absolute] = value_at(*access.tensor, at(access.subscripts));
        term *= value;
        size *= absolute;
      }
      expected[offset] += term;
      magnitude[offset] += size;
    }
    std::size_t i = 0;
    while (i < index.size() && ++index[i] == high)
      index[i++] = low;
    if (i == index.size()) break;
  }
  Reference reference = evaluate(product);
  EXPECT_EQ(reference.value, expected);
  EXPECT_EQ(reference.magnitude, magnitude);
  EXPECT_EQ(reference.shape, product.shape);
}

constexpr int i = 0, j = 1, k = 2, r = 3;

TEST(Reference, SparseAgreesWithDense) {
  Coordinates a = random_tensor({6, 5}, 20, 1), b = random_tensor({5, 7}, 12, 2);
  ReferenceProduct product;
  product.factors = {{&a, {{0, 0}, {1, 0}}}, {&b, {{1, 0}, {2, 0}}}};
  product.shape = {6, 7};
  product.result = {{0, 0}, {2, 0}};
  product.extents = {6, 5, 7};
  Reference dense = evaluate(product);
  SparseReference sparse = evaluate_sparse({product});
  std::vector<double> value(dense.value.size()), magnitude(dense.value.size());
  for (std::size_t e = 0; e < sparse.offset.size(); ++e) {
    value[static_cast<std::size_t>(sparse.offset[e])] = sparse.value[e];
    magnitude[static_cast<std::size_t>(sparse.offset[e])] = sparse.magnitude[e];
  }
  EXPECT_EQ(value, dense.value);
  EXPECT_EQ(magnitude, dense.magnitude);
  SparseReference twice = evaluate_sparse({product, product});
  for (std::size_t e = 0; e < twice.offset.size(); ++e)
    EXPECT_EQ(twice.value[e], 2 * value[static_cast<std::size_t>(twice.offset[e])]);

  Coordinates got = data::from_dense(product.shape, dense.value);
  EXPECT_TRUE(compare(got, sparse, 1e-12).ok);
  got.append({3, 4}, 0.5); // one of two entries with this coordinate
  Comparison off = compare(got, sparse, 1e-12);
  EXPECT_FALSE(off.ok);
  EXPECT_EQ(off.coordinate, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(off.bad_elements, 1U);
  EXPECT_EQ(off.got.number() - off.expected.number(), 0.5);
  // What lies where no term is must be 0.
  Coordinates nothing(product.shape);
  EXPECT_FALSE(compare(nothing, sparse, 1e-12).ok);
}

TEST(Reference, MatrixTimesVector) {
  Coordinates a = random_tensor({5, 6}, 40, 1), x = random_tensor({6}, 9, 2);
  check({.factors = {{&a, {{i}, {j}}}, {&x, {{j}}}}, .shape = {5}, .result = {{i}}, .extents = {5, 6}}, -1,
        7);
  check({.constant = -2.5,
         .factors = {{&a, {{i}, {j}}}, {&x, {{j}}}},
         .shape = {5},
         .result = {{i}},
         .extents = {5, 6}},
        0, 6);
}

TEST(Reference, ProductsOfSeveralFactors) {
  Coordinates a = random_tensor({4, 5}, 12, 3), b = random_tensor({5, 3}, 10, 4),
              c = random_tensor({4, 3}, 30, 5);
  check({.factors = {{&a, {{i}, {k}}}, {&b, {{k}, {j}}}},
         .shape = {4, 3},
         .result = {{i}, {j}},
         .extents = {4, 3, 5}},
        0, 5);
  check({.factors = {{&a, {{i}, {k}}}, {&b, {{k}, {j}}}, {&c, {{i}, {j}}}},
         .shape = {3, 4},
         .result = {{j}, {i}},
         .extents = {4, 3, 5}},
        0, 5);
  check({.factors = {{&a, {{i}, {j}}}, {&a, {{i}, {j}}}}, .shape = {}, .result = {}, .extents = {4, 5}}, 0,
        5);
  Coordinates t = random_tensor({4, 3, 5}, 25, 6), u = random_tensor({3, 2}, 6, 7),
              v = random_tensor({5, 2}, 8, 8);
  check({.factors = {{&t, {{i}, {j}, {k}}}, {&u, {{j}, {r}}}, {&v, {{k}, {r}}}},
         .shape = {4, 2},
         .result = {{i}, {r}},
         .extents = {4, 3, 5, 2}},
        0, 5);
}

TEST(Reference, RepeatedTransposedAndShifted) {
  Coordinates a = random_tensor({5, 5}, 30, 9), v = random_tensor({5}, 7, 10), x = random_tensor({6}, 8, 11);
  check({.factors = {{&a, {{i}, {i}}}, {&v, {{i}}}}, .shape = {}, .result = {}, .extents = {5}}, 0, 5);
  check({.factors = {{&a, {{i}, {i, 1}}}}, .shape = {5}, .result = {{i}}, .extents = {5}}, 0, 6);
  check({.factors = {{&a, {{j}, {i}}}, {&a, {{i}, {j}}}}, .shape = {5}, .result = {{i}}, .extents = {5, 5}},
        0, 5);
  check({.factors = {{&x, {{i, 1}}}, {&v, {{i, -2}}}}, .shape = {4}, .result = {{i}}, .extents = {4}}, -3, 8);
  check({.factors = {{&x, {{i, 1}}}}, .shape = {}, .result = {}, .extents = {-1}}, -3, 8);
  check({.factors = {{&x, {{i, 1}}}}, .shape = {}, .result = {}, .extents = {3}}, -3, 8);
  check(
      {.factors = {{&a, {{i}, {j, 2}}}, {&x, {{j, -1}}}}, .shape = {5}, .result = {{i}}, .extents = {5, -1}},
      -4, 8);
  check({.factors = {{&v, {{i}}}}, .shape = {5}, .result = {{i, 2}}, .extents = {5}}, 0, 5);
}

TEST(Reference, ScalarsBroadcastsAndDisconnectedFactors) {
  Coordinates s{std::vector<std::int64_t>{}};
  s.append({}, 3);
  s.append({}, -1);
  Coordinates x = random_tensor({4}, 5, 12), y = random_tensor({3}, 5, 13), none({4});
  check({.factors = {{&s, {}}, {&x, {{i}}}}, .shape = {4}, .result = {{i}}, .extents = {4}}, 0, 4);
  check({.factors = {{&s, {}}}, .shape = {}, .result = {}, .extents = {}}, 0, 1);
  check({.constant = 2, .shape = {}, .result = {}, .extents = {}}, 0, 1);
  check({.constant = 2, .shape = {3}, .result = {{i}}, .extents = {3}}, 0, 4);
  check({.factors = {{&x, {{i}}}}, .shape = {4, 3}, .result = {{i}, {j}}, .extents = {4, 3}}, 0, 4);
  check({.factors = {{&x, {{i}}}, {&y, {{j}}}}, .shape = {4, 3}, .result = {{i}, {j}}, .extents = {4, 3}}, 0,
        4);
  check({.factors = {{&x, {{i}}}, {&none, {{i}}}}, .shape = {4}, .result = {{i}}, .extents = {4}}, 0, 4);
  check({.factors = {{&x, {{i}}}}, .shape = {4, 4}, .result = {{i}, {i}}, .extents = {4}}, 0, 4);
  Coordinates empty({0});
  EXPECT_TRUE(
      evaluate({.factors = {{&empty, {{i}}}}, .shape = {0}, .result = {{i}}, .extents = {0}}).value.empty());
}

TEST(Reference, RandomProductsAgainstBruteForce) {
  std::mt19937_64 random(77);
  for (int round = 0; round < 300; ++round) {
    std::vector<Coordinates> tensors;
    ReferenceProduct product;
    product.extents = {4, random() % 3 ? 3 : -1, 4, 2};
    std::vector<bool> used(4);
    std::size_t factors = 1 + random() % 3;
    tensors.reserve(factors);
    for (std::size_t f = 0; f < factors; ++f) {
      std::vector<std::int64_t> shape(random() % 4, 3);
      tensors.push_back(random_tensor(shape, shape.empty() ? 1 + random() % 2 : random() % 12,
                                      static_cast<unsigned>(random())));
      ReferenceAccess access{&tensors.back(), {}};
      for (std::size_t mode = 0; mode < shape.size(); ++mode) {
        access.subscripts.push_back({static_cast<int>(random() % 4),
                                     static_cast<std::int64_t>(random() % 5) / 4 * (random() % 2 ? 1 : -1)});
        used[static_cast<std::size_t>(access.subscripts.back().index)] = true;
      }
      product.factors.push_back(access);
    }
    // Indices that occur nowhere must not be summed over: renumber, so that only used ones and the result's
    // exist.
    std::vector<int> number(4, -1);
    std::vector<std::int64_t> extents;
    auto name = [&](int old) {
      int &id = number[static_cast<std::size_t>(old)];
      if (id < 0) {
        id = static_cast<int>(extents.size());
        extents.push_back(product.extents[static_cast<std::size_t>(old)]);
      }
      return id;
    };
    for (ReferenceAccess &access : product.factors)
      for (ReferenceSubscript &subscript : access.subscripts)
        subscript.index = name(subscript.index);
    for (std::size_t mode = 0; mode < random() % 3; ++mode) {
      int index = static_cast<int>(random() % 4);
      if (product.extents[static_cast<std::size_t>(index)] < 0 && !used[static_cast<std::size_t>(index)])
        continue;
      product.result.push_back({name(index)});
      product.shape.push_back(4);
    }
    product.extents = extents;
    check(product, -2, 6);
  }
}

TEST(Reference, KeepsNanAndInfinity) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Coordinates x({3});
  x.append({0}, infinity);
  x.append({1}, infinity);
  x.append({1}, -infinity);
  Reference reference = evaluate({.factors = {{&x, {{i}}}}, .shape = {3}, .result = {{i}}, .extents = {3}});
  EXPECT_EQ(reference.value[0], infinity);
  EXPECT_TRUE(std::isnan(reference.value[1]));
  EXPECT_TRUE(compare({infinity, std::nan(""), 0}, reference, 1e-12).ok);
  EXPECT_FALSE(compare({-infinity, std::nan(""), 0}, reference, 1e-12).ok);
  EXPECT_FALSE(compare({infinity, 1, 0}, reference, 1e-12).ok);
  EXPECT_FALSE(compare({infinity, std::nan(""), std::nan("")}, reference, 1e-12).ok);
}

TEST(Reference, Compares) {
  Reference reference{{2, 3}, {1, 2, 3, 4, 0, 6}, {1, 2, 30, 4, 0, 6}};
  Comparison same = compare(reference.value, reference, 1e-12);
  EXPECT_TRUE(same.ok);
  EXPECT_EQ(same.max_relative_error, 0);
  // An error is measured against the terms' sizes, not against the sum.
  Comparison close = compare({1, 2, 3.25, 4, 0, 6}, reference, 0.01);
  EXPECT_TRUE(close.ok);
  EXPECT_DOUBLE_EQ(close.max_relative_error, 0.25 / 30);
  Comparison off = compare({1, 2, 3, 4.5, 1e-300, 6}, reference, 0.01);
  EXPECT_FALSE(off.ok);
  EXPECT_EQ(off.coordinate, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(off.got.number(), 4.5);
  EXPECT_EQ(off.expected.number(), 4);
  EXPECT_EQ(off.bad_elements, 2u);
}

/// Doubles don't tell them apart: in halves, and added up, they are compared exactly.
TEST(Reference, IntegersAreExact) {
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  Reference reference{{2}, {0x1p60, -1}, {0, 0}};
  reference.integer = {large, -1}, reference.type = value::Type::Int64;
  Coordinates got({2});
  got.in_halves = true;
  got.append({0}, 1, 0x1p28), got.append({1}, -1, 0);
  EXPECT_TRUE(compare(got, reference, 1e-12).ok);
  got.append({0}, 1, 0);
  const Comparison off = compare(got, reference, 1e-12);
  EXPECT_FALSE(off.ok);
  EXPECT_EQ(off.got.integer, large + 1);
  EXPECT_EQ(off.expected.integer, large);
  got.append({0}, -1, 0);
  EXPECT_TRUE(compare(got,
                      SparseReference{.shape = {2},
                                      .offset = {0, 1},
                                      .value = {0x1p60, -1},
                                      .magnitude = {0, 0},
                                      .integer = {large, -1},
                                      .type = value::Type::Int64},
                      1e-12)
                  .ok);
}

/// What `any` has chosen among several values may be each of them, and nothing else.
TEST(Reference, ChoicesOfAny) {
  Reference reference{{3}, {1, 2, 3}, {1, 2, 3}};
  reference.choices = {{1, {{2, 2, 0}, {-5, 5, 0}}}};
  EXPECT_TRUE(compare({1, -5, 3}, reference, 1e-12).ok);
  EXPECT_TRUE(compare({1, 2, 3}, reference, 1e-12).ok);
  EXPECT_FALSE(compare({1, 0, 3}, reference, 1e-12).ok);
  EXPECT_FALSE(compare({-5, 2, 3}, reference, 1e-12).ok);
}

/// Few enough steps to be tested at all: how long it takes is recorded, not asserted.
TEST(Reference, LargeProducts) {
  Coordinates a = generate(data::parse_generator("random:100000x100000,entries=1000000"));
  Coordinates x = generate(data::parse_generator("random:100000,density=1"));
  auto start = std::chrono::steady_clock::now();
  Reference y = evaluate({.factors = {{&a, {{i}, {j}}}, {&x, {{j}}}},
                          .shape = {100000},
                          .result = {{i}},
                          .extents = {100000, 100000}});
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RecordProperty("spmv_seconds", std::to_string(seconds));
  std::vector<double> plain(100000);
  for (std::size_t e = 0; e < a.size(); ++e)
    plain[static_cast<std::size_t>(a.index[0][e])] +=
        a.value[e] * x.value[static_cast<std::size_t>(a.index[1][e])];
  EXPECT_TRUE(compare(plain, y, 1e-13).ok);

  Coordinates b = generate(data::parse_generator("random:1000x1000,entries=100000,seed=1"));
  Coordinates c = generate(data::parse_generator("random:1000x1000,entries=100000,seed=2"));
  start = std::chrono::steady_clock::now();
  Reference product = evaluate({.factors = {{&b, {{i}, {k}}}, {&c, {{k}, {j}}}},
                                .shape = {1000, 1000},
                                .result = {{i}, {j}},
                                .extents = {1000, 1000, 1000}});
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RecordProperty("product_seconds", std::to_string(seconds));
  double sum = 0, row_by_row = 0;
  for (double value : product.value)
    sum += value;
  std::vector<double> column_sums(1000), row_sums(1000);
  for (std::size_t e = 0; e < b.size(); ++e)
    column_sums[static_cast<std::size_t>(b.index[1][e])] += b.value[e];
  for (std::size_t e = 0; e < c.size(); ++e)
    row_sums[static_cast<std::size_t>(c.index[0][e])] += c.value[e];
  for (std::size_t n = 0; n < 1000; ++n)
    row_by_row += column_sums[n] * row_sums[n];
  EXPECT_NEAR(sum, row_by_row, 1e-6 * (1 + std::fabs(row_by_row)));
}

} // namespace
} // namespace unravel::check
