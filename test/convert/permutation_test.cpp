// Coordinates in an order of their own, which packing chooses.
#include "check/validate.h"
#include "convert/convert.h"
#include "convert/storable.h"
#include "packing/pack_layouts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::convert {

using data::Coordinates;
using data::Random;
using packing::layout_in;
using packing::Permutation;
using tensor::canonical;
using tensor::entries_of;
using tensor::layout_of;
using tensor::random_entries;
using tensor::refusal;
using tensor::shipped;
using tensor::Tensor;
using tensor::values_of;

namespace {

using Integers = std::vector<std::int32_t>;

layout::Layout permuted(const std::string &name, const std::vector<std::int64_t> &parameters = {}) {
  return layout_in("permuted.layout", name, 2, parameters);
}

/// Rows of 1, 3, 0, 2, 3 entries, given in no order; (3, 0) three times.
Coordinates entries_of_rows() {
  return entries_of({5, 4}, {{{4, 3}, 1},
                             {{1, 0}, 2},
                             {{3, 0}, 3},
                             {{3, 2}, 4},
                             {{0, 1}, 5},
                             {{4, 1}, 6},
                             {{1, 3}, 7},
                             {{3, 0}, 8},
                             {{1, 2}, 9},
                             {{4, 0}, 10},
                             {{3, 0}, 11}});
}

TEST(Permutation, MostEntriesFirst) {
  Coordinates entries = entries_of_rows();
  Tensor csr = pack(permuted("permuted_csr"), entries);
  EXPECT_EQ(values_of<std::int32_t>(csr, "row"), (Integers{1, 4, 3, 0, 2}));
  EXPECT_EQ(values_of<std::int32_t>(csr, "ptr"), (Integers{0, 3, 6, 8, 9, 9}));
  EXPECT_EQ(values_of<std::int32_t>(csr, "col"), (Integers{0, 2, 3, 0, 1, 3, 0, 2, 1}));
  EXPECT_EQ(values_of<double>(csr, "val"), (std::vector<double>{2, 9, 7, 10, 6, 1, 22, 4, 5}));

  Tensor slices = pack(shipped("sellcs", 2, {2}), entries);
  EXPECT_EQ(values_of<std::int32_t>(slices, "row"), (Integers{1, 4, 3, 0, 2}));
  EXPECT_EQ(values_of<std::int32_t>(slices, "sliceptr"), (Integers{0, 3, 5, 5}));
  EXPECT_EQ(values_of<std::int32_t>(slices, "col"), (Integers{0, 0, 2, 1, 3, 3, 0, 1, 2, -1}));
  EXPECT_EQ(values_of<double>(slices, "val"), (std::vector<double>{2, 10, 9, 6, 7, 1, 22, 5, 4, 0}));

  // Rows that count from 1; that none is longer than the one before is a property.
  Tensor jagged = pack(permuted("jagged"), entries);
  EXPECT_EQ(values_of<std::int32_t>(jagged, "row"), (Integers{2, 5, 4, 1, 3}));
  EXPECT_EQ(values_of<std::int32_t>(jagged, "col"),
            (Integers{0, 0, 0, 1, -1, 2, 1, 2, -1, -1, 3, 3, -1, -1, -1}));
  EXPECT_TRUE(check::validate(jagged).ok());

  Tensor full = pack(permuted("permuted_dense"), entries);
  EXPECT_EQ(values_of<std::int32_t>(full, "row"), (Integers{1, 4, 3, 0, 2}));
  EXPECT_EQ(values_of<std::int32_t>(full, "column"), (Integers{0, 1, 2, 3}));
}

TEST(Permutation, Windows) {
  Coordinates entries = transpose(entries_of_rows(), {1, 0});
  // Columns from the last to the first have 3, 2, 0, 3, 1 entries; windows are of three.
  Tensor csc = pack(permuted("permuted_csc", {3}), entries);
  EXPECT_EQ(values_of<std::int64_t>(csc, "column"), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(values_of<std::int32_t>(csc, "ptr"), (Integers{0, 3, 5, 5, 8, 9}));
  csc = pack(permuted("permuted_csc", {5}), entries);
  // Of those with equally many the lesser column is first.
  EXPECT_EQ(values_of<std::int64_t>(csc, "column"), (std::vector<std::int64_t>{3, 0, 1, 4, 2}));
  EXPECT_EQ(values_of<double>(csc, "val"), (std::vector<double>{-2, -9, -7, -10, -6, -1, -22, -4, -5}));
  csc = pack(permuted("permuted_csc", {1}), entries);
  EXPECT_EQ(values_of<std::int64_t>(csc, "column"), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));

  Tensor listed = pack(permuted("listed_rows"), entries_of_rows());
  EXPECT_EQ(values_of<std::int32_t>(listed, "row"), (Integers{0, 1, 2, 3, 4}));
}

/// Whatever comes in whatever order: the number of entries of a row never rises, and conversion agrees.
TEST(Permutation, RandomRows) {
  Random random(4);
  layout::Layout layout = shipped("sellcs", 2, {4});
  for (int round = 0; round < 20; ++round) {
    Coordinates entries = random_entries(random, {37, 23}, static_cast<std::size_t>(20 * round));
    Tensor tensor = pack(layout, entries);
    EXPECT_TRUE(check::validate(tensor).ok());
    Coordinates once = canonical(entries);
    std::vector<int> counts(37);
    for (std::int64_t row : once.index[0])
      ++counts[static_cast<std::size_t>(row)];
    Integers rows = values_of<std::int32_t>(tensor, "row");
    for (std::size_t k = 1; k < rows.size(); ++k) {
      int before = counts[static_cast<std::size_t>(rows[k - 1])],
          after = counts[static_cast<std::size_t>(rows[k])];
      EXPECT_TRUE(before > after || (before == after && rows[k - 1] < rows[k])) << k;
    }
    EXPECT_EQ(canonical(unpack(tensor)), once);
  }
}

/// A place is a sum, which unpacking does without: else it would try all slices for each row.
TEST(Permutation, ManyRows) {
  Random random(2);
  Coordinates entries = canonical(random_entries(random, {60000, 300}, 90000));
  for (const Coordinates &given : {entries, transpose(entries, {1, 0})}) {
    Tensor tensor = pack(shipped("sellcs", 2, {8}), given);
    EXPECT_EQ(canonical(unpack(tensor)), canonical(given));
    EXPECT_EQ(canonical(unpack(convert(tensor, shipped("csr", 2)).tensor)), canonical(given));
  }
}

TEST(Permutation, Refusals) {
  auto text = [](const std::string &relation, const std::string &properties) {
    return "layout rows(i: M, j: N) { index row[M], col[M]; value val[M, N]; stored { [k, l] -> [i, j] : "
           "0 <= k < M and 0 <= l < N and " +
           relation + " } at val(k, l); " + properties + " }";
  };
  auto plan = [&](const std::string &relation, const std::string &properties) {
    return refusal([&] { packing::plan_packing(layout_of(text(relation, properties))); }).substr(0, 90);
  };
  const std::string refused = "cannot-pack: coordinates can't be packed into layout `rows`: ";
  // Not injective; two permutations of one coordinate; a place that another coordinate tells.
  EXPECT_EQ(plan("i = row(k) and j = l", "").substr(0, refused.size()), refused);
  EXPECT_EQ(plan("i = row(k) and i = col(k) and j = l", "property injective row; property injective col;")
                .substr(0, refused.size()),
            refused);
  EXPECT_EQ(plan("i = row(k) and j = k", "property injective row;").substr(0, refused.size()), refused);
  // Fewer elements than values.
  EXPECT_EQ(refusal([&] {
              packing::plan_packing(
                  layout_of("layout half(i: M, j: N) { index row[K]; count K; value val[K, N]; stored { "
                            "[k, l] -> [i, j] : 0 <= k < N and 0 <= l < N and i = row(k) and j = l } at "
                            "val(k, l); property injective row; }"));
            }).substr(0, 12),
            "cannot-pack:");

  // A property that the choice doesn't satisfy.
  layout::Layout first = layout_of(R"(layout first(i: M, j: N) { # the first row stays where it is
    index row[M]; value val[M, N];
    stored { [k, l] -> [i, j] : 0 <= k < M and i = row(k) and 0 <= l < N and j = l } at val(k, l);
    property range row in [0, M); property injective row; property row(0) = 0; })");
  EXPECT_EQ(values_of<std::int32_t>(pack(first, entries_of({2, 2}, {{{0, 1}, 3}})), "row"), (Integers{0, 1}));
  EXPECT_EQ(refusal([&] { pack(first, entries_of({2, 2}, {{{1, 1}, 3}})); }).substr(0, 13), "not-storable:");
}

} // namespace
} // namespace unravel::convert
