// Conversion between layouts: the same arrays as by unpacking and packing, whatever the way.
#include "check/validate.h"
#include "convert/convert.h"
#include "convert/storable.h"
#include "packing/pack_layouts.h"
#include "sanitized.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unravel::convert {

using data::Coordinates;
using data::Elements;
using data::Random;
using packing::layouts_of;
using packing::PackPlan;
using tensor::IndexType;
using tensor::layout_of;
using tensor::random_entries;
using tensor::refusal;
using tensor::shipped;
using tensor::Tensor;
using tensor::ValueType;

namespace {

struct Planned {
  layout::Layout layout;
  PackPlan pack;
  std::optional<TreePlan> scan;
};

std::vector<Planned> planned(std::size_t order) {
  std::vector<Planned> result;
  for (const layout::Layout &layout : layouts_of(order))
    result.push_back({layout, packing::plan_packing(layout), plan_tree(layout)});
  return result;
}

void expect_equal(const Tensor &got, const Tensor &expected, const std::string &what) {
  EXPECT_EQ(got.sizes, expected.sizes) << what;
  EXPECT_EQ(got.counts, expected.counts) << what;
  for (const layout::Array &array : expected.layout.arrays)
    EXPECT_EQ(got.array(array.name), expected.array(array.name)) << what << ", " << array.name;
}

/// Pairs of layouts, a seeded sample or all with UNRAVEL_TEST_ALL=1: some entries, from one to the other.
void expect_all_pairs(std::size_t order, const std::vector<std::vector<std::int64_t>> &shapes,
                      const std::vector<std::size_t> &counts, std::map<Route, int> &routes) {
  std::vector<Planned> layouts = planned(order);
  const bool all = std::getenv("UNRAVEL_TEST_ALL") != nullptr;
  const int one_in = test::is_sanitized ? 30 : 5;
  Random random(5);
  for (const std::vector<std::int64_t> &shape : shapes)
    for (std::size_t count : counts)
      for (const Planned &from : layouts) {
        if (!fits(from.layout, shape)) continue;
        PackOptions wide{random.below(2) == 0 ? IndexType::Int32 : IndexType::Int64,
                         random.below(2) == 0 ? ValueType::Float32 : ValueType::Float64};
        Coordinates entries = storable(from.layout, from.pack, random_entries(random, shape, count));
        Tensor source = pack(from.layout, from.pack, std::move(entries), wide);
        for (const Planned &to : layouts) {
          if (!fits(to.layout, shape) || (!all && random.below(one_in) != 0)) continue;
          PackOptions options{random.below(2) == 0 ? IndexType::Int32 : IndexType::Int64,
                              random.below(2) == 0 ? ValueType::Float32 : ValueType::Float64};
          std::string what =
              fmt::format("{} to {}, {}, {} entries", from.layout.name, to.layout.name, shape, count);
          Tensor expected;
          std::string refused =
              refusal([&] { expected = pack(to.layout, to.pack, unpack(source), options); });
          Conversion made;
          EXPECT_EQ(refusal([&] { made = convert(source, from.scan, to.layout, to.pack, options); }), refused)
              << what;
          if (refused != "no error") continue; // a triangle, a pattern of ones
          expect_equal(made.tensor, expected, what);
          ++routes[made.route];
          if (testing::Test::HasFailure()) return;
        }
      }
}

TEST(Convert, AllPairsOfVectors) {
  std::map<Route, int> routes;
  expect_all_pairs(1, {{0}, {1}, {9}}, {0, 1, 5, 40}, routes);
  EXPECT_GT(routes[Route::Levels], 0);
}

TEST(Convert, AllPairsOfMatrices) {
  std::map<Route, int> routes;
  expect_all_pairs(2, {{0, 5}, {6, 7}, {6, 6}}, {0, 5, 60}, routes);
  const int least = test::is_sanitized ? 10 : 60;
  EXPECT_GT(routes[Route::Levels], least);
  EXPECT_GT(routes[Route::CountingSort], least);
  EXPECT_GT(routes[Route::Coordinates], least);
}

TEST(Convert, AllPairsOfOrderThree) {
  std::map<Route, int> routes;
  expect_all_pairs(3, {{0, 2, 3}, {4, 1, 5}, {3, 7, 4}}, {0, 1, 5, 60}, routes);
  const int least = test::is_sanitized ? 3 : 10;
  EXPECT_GT(routes[Route::Levels], least);
  EXPECT_GT(routes[Route::CountingSort], least);
}

TEST(Convert, AllPairsOfOrderFour) {
  std::map<Route, int> routes;
  expect_all_pairs(4, {{3, 2, 4, 2}}, {0, 20}, routes);
  EXPECT_GT(routes[Route::Levels], 0);
}

/// Enough entries for several threads and stretches.
TEST(Convert, ManyEntries) {
  Random random(3);
  for (std::vector<std::int64_t> shape :
       {std::vector<std::int64_t>{3000, 2000}, {5, 20000}, {100000, 7}, {1, 100000}}) {
    Coordinates entries = random_entries(random, shape, test::is_sanitized ? 20000 : 60000);
    for (const char *first : {"csr", "csc", "coo", "coo_unsorted", "dcsr"}) {
      Tensor source = pack(shipped(first, 2), entries);
      for (const char *second : {"csr", "csc", "coo", "coo_unsorted", "dcsc", "coo_dup"}) {
        layout::Layout to = shipped(second, 2);
        expect_equal(convert(source, to).tensor, pack(to, unpack(source)),
                     fmt::format("{} to {}, {}", first, second, shape));
      }
    }
  }
}

TEST(Convert, Routes) {
  Random random(1);
  Coordinates entries = random_entries(random, {6, 7}, 20);
  auto route = [&](const std::string &from, const std::string &to) {
    return convert(pack(shipped(from, 2), entries), shipped(to, 2)).route;
  };
  EXPECT_EQ(route("csr", "csr"), Route::Levels);
  EXPECT_EQ(route("csr", "coo"), Route::Levels);
  EXPECT_EQ(route("csr", "coo_dup"), Route::Levels);
  EXPECT_EQ(route("coo", "csr"), Route::Levels);
  EXPECT_EQ(route("csr", "dcsr"), Route::Levels);
  EXPECT_EQ(route("dcsr", "dense"), Route::Levels);
  EXPECT_EQ(route("dense", "csr"), Route::Levels);
  EXPECT_EQ(route("csr", "csc"), Route::CountingSort);
  EXPECT_EQ(route("csr", "dcsc"), Route::CountingSort);
  EXPECT_EQ(route("coo_dup", "csr"), Route::Coordinates);
  EXPECT_EQ(route("coo_unsorted", "csr"), Route::Coordinates);
  ConvertOptions sampled;
  sampled.trust_properties = false;
  EXPECT_EQ(convert(pack(shipped("csr", 2), entries), shipped("coo", 2), sampled).route, Route::Coordinates);
}

/// Rows that are listed without a column, segments that leave out entries, rows that go down: what a layout's
/// properties allow although packing doesn't make it.
TEST(Convert, ArraysThatPackingDoesNotMake) {
  layout::Layout rows = layout_of(R"(layout rows(i: M, j: N) {
  index rowidx[NR], ptr[NR + 1], col[NNZ]; count NR; count NNZ = ptr(NR); value val[NNZ];
  stored { [r, p] -> [i, j] : 0 <= r < NR and i = rowidx(r) and ptr(r) <= p < ptr(r + 1) and j = col(p) } at val(p);
  property range rowidx in [0, M); property strictly increasing rowidx; property ptr(0) = 0;
  property increasing ptr; property range col in [0, N); property strictly increasing col within ptr; })");
  Tensor tensor;
  tensor.layout = rows;
  tensor.sizes = {{"M", 9}, {"N", 4}};
  tensor.counts = {{"NR", 5}, {"NNZ", 3}};
  tensor.arrays["rowidx"] = Elements::of<std::int32_t>({1, 3, 4, 6, 8});
  tensor.arrays["ptr"] = Elements::of<std::int32_t>({0, 0, 2, 2, 3, 3});
  tensor.arrays["col"] = Elements::of<std::int32_t>({0, 3, 1});
  tensor.arrays["val"] = Elements::of<double>({1, 2, 3});
  ASSERT_TRUE(check::validate(tensor).ok());
  for (const char *name : {"csr", "csc", "coo", "dcsr", "dense", "coo_unsorted"}) {
    layout::Layout to = shipped(name, 2);
    Conversion made = convert(tensor, to);
    EXPECT_NE(made.route, Route::Coordinates);
    expect_equal(made.tensor, pack(to, unpack(tensor)), name);
  }
}

TEST(Convert, Refusals) {
  const char *permuted = "layout permuted(i: M, j: N) { index row[M], col[M]; value val[M]; stored { [p] -> "
                         "[i, j] : 0 <= p < M and i = row(p) and j = col(p) } at val(p); }";
  Random random(1);
  Tensor source = pack(shipped("csr", 2), random_entries(random, {6, 7}, 20));
  EXPECT_EQ(refusal([&] { convert(source, shipped("csf3", 3)); }).substr(0, 12), "wrong-shape:");
  EXPECT_EQ(refusal([&] { convert(source, layout_of(permuted)); }).substr(0, 12), "cannot-pack:");
  EXPECT_EQ(refusal([&] { convert(source, shipped("pattern_csr", 2)); }).substr(0, 13), "not-storable:");
  ConvertOptions small;
  small.pack.max_memory = 100;
  EXPECT_EQ(refusal([&] { convert(source, shipped("csc", 2), small); }).substr(0, 13), "memory-limit:");
}

} // namespace
} // namespace unravel::convert
