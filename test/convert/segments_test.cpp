// Segments that two arrays bound, and slots of which an array says how many are used.
#include "check/validate.h"
#include "convert/convert.h"
#include "convert/pack_levels.h"
#include "convert/storable.h"
#include "packing/pack_layouts.h"
#include "packing/pack_segments.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::convert {

using data::Coordinates;
using data::DType;
using data::Elements;
using data::Random;
using packing::layout_in;
using packing::PackPlan;
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
using Wide = std::vector<std::int64_t>;

/// A shipped one, or one of test/layouts.
layout::Layout segments_layout(const std::string &name, std::size_t order,
                               const std::vector<std::int64_t> &parameters = {}) {
  const bool is_shipped = name == "csr4" || name == "ellr" || name == "hyb";
  return is_shipped ? shipped(name, order, parameters)
                    : layout_in("segments.layout", name, order, parameters);
}

Tensor packed(const std::string &name, const Coordinates &entries,
              const std::vector<std::int64_t> &parameters = {}) {
  return pack(segments_layout(name, entries.order(), parameters), entries);
}

/// Rows of 2, 0, 1, 3 entries.
Coordinates entries_of_rows() {
  return entries_of({4, 4}, {{{0, 1}, 1}, {{0, 3}, 2}, {{2, 0}, 3}, {{3, 0}, 4}, {{3, 1}, 5}, {{3, 2}, 6}});
}

Integers integers(const Tensor &tensor, const std::string &array) {
  return values_of<std::int32_t>(tensor, array);
}

TEST(Segments, BeginsAndEnds) {
  Coordinates entries = entries_of_rows();
  Tensor rows = packed("csr4", entries);
  EXPECT_EQ(integers(rows, "pntrb"), (Integers{0, 2, 2, 3}));
  EXPECT_EQ(integers(rows, "pntre"), (Integers{2, 2, 3, 6}));
  EXPECT_EQ(integers(rows, "col"), (Integers{1, 3, 0, 0, 1, 2}));
  EXPECT_EQ(values_of<double>(rows, "val"), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(rows.counts.at("NNZ"), 6);

  Tensor one = packed("csr4_one", entries);
  EXPECT_EQ(integers(one, "pntrb"), (Integers{1, 3, 3, 4}));
  EXPECT_EQ(values_of<std::int64_t>(one, "pntre"), (Wide{3, 3, 4, 7}));
  EXPECT_EQ(integers(one, "indx"), (Integers{2, 4, 1, 1, 2, 3}));
  EXPECT_EQ(integers(packed("csr_from_one", entries), "ptr"), (Integers{1, 3, 3, 4, 7}));

  Tensor listed = packed("dcsr4", entries);
  EXPECT_EQ(integers(listed, "rowidx"), (Integers{0, 2, 3}));
  EXPECT_EQ(integers(listed, "begin"), (Integers{0, 2, 3}));
  EXPECT_EQ(integers(listed, "end"), (Integers{2, 3, 6}));

  Tensor blocks = packed("bcsr4", entries, {2, 3});
  EXPECT_EQ(integers(blocks, "first"), (Integers{0, 2, 3, 3}));
  EXPECT_EQ(integers(blocks, "behind"), (Integers{0, 2, 3}));
  EXPECT_EQ(integers(blocks, "bcol"), (Integers{0, 1, 0}));
}

TEST(Segments, Lengths) {
  Coordinates entries = entries_of_rows();
  Tensor columns = packed("csc_lengths", entries);
  EXPECT_EQ(values_of<std::int64_t>(columns, "start"), (Wide{0, 1, 2, 4}));
  EXPECT_EQ(integers(columns, "len"), (Integers{1, 1, 2, 2}));
  EXPECT_EQ(integers(columns, "row"), (Integers{0, 3, 3, 0, 3, 2}));
  EXPECT_EQ(values_of<double>(columns, "val"), (std::vector<double>{-2, -6, -5, -1, -4, -3}));

  Tensor bands = packed("bands", entries);
  EXPECT_EQ(integers(bands, "start"), (Integers{0, 3, 3, 4}));
  EXPECT_EQ(integers(bands, "len"), (Integers{3, 0, 1, 3}));
  EXPECT_EQ(integers(bands, "first"), (Integers{1, 0, 0, 0}));
  EXPECT_EQ(values_of<double>(bands, "val"), (std::vector<double>{1, 0, 2, 3, 4, 5, 6}));

  Tensor slices = packed("slices", entries, {2});
  EXPECT_EQ(integers(slices, "start"), (Integers{0, 2}));
  EXPECT_EQ(integers(slices, "width"), (Integers{2, 3}));
  EXPECT_EQ(integers(slices, "col"), (Integers{1, -1, 3, -1, 0, 0, -1, 1, -1, 2}));

  Tensor fibers = packed("fibers", entries_of({2, 2, 3}, {{{0, 1, 2}, 1}, {{1, 0, 1}, 2}, {{1, 0, 0}, 3}}));
  EXPECT_EQ(integers(fibers, "start"), (Integers{0, 0, 1, 3}));
  EXPECT_EQ(integers(fibers, "len"), (Integers{0, 1, 2, 0}));
  EXPECT_EQ(integers(fibers, "tube"), (Integers{2, 1, 0}));
}

/// Packing has one array of pointers, of which the order of all pairs follows; the order of the input doesn't
/// matter.
TEST(Segments, NeighboursInOrder) {
  const Tensor sorted = packed("csr4_neighbours", entries_of_rows());
  const Tensor unsorted = packed(
      "csr4_neighbours",
      entries_of({4, 4}, {{{3, 2}, 6}, {{0, 3}, 2}, {{3, 0}, 4}, {{0, 1}, 1}, {{3, 1}, 5}, {{2, 0}, 3}}));
  for (const char *array : {"pntrb", "pntre", "col"})
    EXPECT_EQ(integers(unsorted, array), integers(sorted, array)) << array;
  EXPECT_EQ(values_of<double>(unsorted, "val"), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Segments, SlotsThatAreUsed) {
  Coordinates entries = entries_of_rows();
  Tensor slots = packed("ellr", entries);
  EXPECT_EQ(integers(slots, "len"), (Integers{2, 0, 1, 3}));
  EXPECT_EQ(integers(slots, "col"), (Integers{1, 0, 0, 0, 3, 0, 0, 1, 0, 0, 0, 2}));
  EXPECT_EQ(values_of<double>(slots, "val"), (std::vector<double>{1, 0, 3, 4, 2, 0, 0, 5, 0, 0, 0, 6}));
  EXPECT_EQ(slots.counts.at("W"), 3);

  Tensor rows = packed("ellr_rows", entries); // which column 0 would not be one of
  EXPECT_EQ(values_of<std::int64_t>(rows, "len"), (Wide{3, 1, 0, 2}));
  EXPECT_EQ(integers(rows, "col"), (Integers{1, 2, 3, 1, 1, 1, 1, 1, 1, 2, 4, 1}));

  Tensor listed = packed("listed_slots", entries);
  EXPECT_EQ(integers(listed, "len"), (Integers{2, 1, 3}));
  EXPECT_EQ(integers(listed, "col"), (Integers{1, 3, -1, 0, -1, -1, 0, 1, 2}));

  Tensor slices = packed("sell_lengths", entries, {2});
  EXPECT_EQ(integers(slices, "ptr"), (Integers{0, 2, 5}));
  EXPECT_EQ(integers(slices, "len"), (Integers{2, 0, 1, 3}));
  EXPECT_EQ(integers(slices, "col"), (Integers{1, 0, 3, 0, 0, 0, 0, 1, 0, 2}));

  Tensor blocks = packed("bellr", entries, {2, 3});
  EXPECT_EQ(integers(blocks, "len"), (Integers{2, 1}));
  EXPECT_EQ(integers(blocks, "bcol").size(), 16U);
}

/// Of a row's entries the first find slots, the others are listed.
TEST(Segments, SlotsThatRunOut) {
  const Tensor two = packed("hyb", entries_of_rows(), {2});
  EXPECT_EQ(integers(two, "slotcol"), (Integers{1, -1, 0, 0, 3, -1, -1, 1}));
  EXPECT_EQ(integers(two, "row"), (Integers{3}));
  EXPECT_EQ(integers(two, "col"), (Integers{2}));
  EXPECT_EQ(values_of<double>(two, "val"), (std::vector<double>{6}));
  const Tensor one =
      packed("hyb", entries_of({2, 4}, {{{1, 3}, 4}, {{0, 2}, 1}, {{1, 0}, 3}, {{1, 3}, 4}}), {1});
  EXPECT_EQ(integers(one, "slotcol"), (Integers{2, 0}));
  EXPECT_EQ(integers(one, "col"), (Integers{3}));
  EXPECT_EQ(values_of<double>(one, "val"), (std::vector<double>{8})); // equal ones are added up there
  EXPECT_EQ(packed("hyb", entries_of_rows(), {3}).counts.at("NNZ"), 0);
}

TEST(Segments, EmptyTensors) {
  for (std::vector<std::int64_t> shape : {std::vector<std::int64_t>{0, 0}, {3, 0}, {0, 3}, {3, 3}}) {
    Coordinates none(shape);
    auto rows = static_cast<std::size_t>(shape[0]);
    Tensor csr = packed("csr4", none), one = packed("csr4_one", none), slots = packed("ellr", none);
    EXPECT_EQ(integers(csr, "pntre"), Integers(rows, 0));
    EXPECT_EQ(integers(one, "pntrb"), Integers(rows, 1));
    EXPECT_EQ(integers(slots, "len"), Integers(rows, 0));
    EXPECT_EQ(slots.counts.at("W"), 0);
    for (const Tensor &tensor : {csr, one, slots}) {
      EXPECT_TRUE(check::validate(tensor).ok());
      EXPECT_EQ(unpack(tensor), none);
    }
  }
}

/// Enough for buckets and threads; segments of a user's own order are read, too, and come out in order.
TEST(Segments, ManyEntries) {
  Random random(8);
  Coordinates entries = random_entries(random, {2000, 700}, 30000);
  for (const char *name : {"csr4", "csc_lengths", "dcsr4", "ellr", "listed_slots"}) {
    Tensor tensor = packed(name, entries);
    EXPECT_TRUE(check::validate(tensor).ok()) << name;
    EXPECT_EQ(canonical(unpack(tensor)), canonical(entries)) << name;
    Tensor csr = pack(shipped("csr", 2), entries);
    Conversion back = convert(tensor, shipped("csr", 2)), to = convert(csr, tensor.layout);
    EXPECT_EQ(integers(back.tensor, "col"), integers(csr, "col")) << name;
    for (const layout::Array &array : tensor.layout.arrays)
      EXPECT_EQ(to.tensor.array(array.name).size(), tensor.array(array.name).size()) << name << array.name;
    EXPECT_EQ(canonical(unpack(to.tensor)), canonical(entries)) << name;
  }
  Coordinates few = entries_of_rows();
  Tensor apart = packed("csr4", few);
  apart.arrays["pntrb"] = Elements(DType::Int32, 4);
  apart.arrays["pntre"] = Elements(DType::Int32, 4);
  Integers begins{4, 3, 3, 0}, ends{6, 3, 4, 3}; // the last row first, with columns 1, 3, 0
  for (std::size_t k = 0; k < 4; ++k) {
    apart.array("pntrb").set_integer(k, begins[k]);
    apart.array("pntre").set_integer(k, ends[k]);
  }
  EXPECT_FALSE(check::validate(apart).ok());
  apart.array("col").set_integer(2, 3), apart.array("col").set_integer(1, 2);
  EXPECT_TRUE(check::validate(apart).ok());
  EXPECT_EQ(integers(pack(apart.layout, unpack(apart)), "pntrb"), (Integers{0, 2, 2, 3}));
}

TEST(Segments, Routes) {
  Coordinates entries = entries_of_rows();
  layout::Layout rows = shipped("csr4", 2);
  EXPECT_EQ(convert(pack(shipped("csr", 2), entries), rows).route, Route::Levels);
  EXPECT_EQ(convert(pack(shipped("csc", 2), entries), rows).route, Route::CountingSort);
  EXPECT_EQ(convert(pack(rows, entries), shipped("csr", 2)).route, Route::Coordinates);
  EXPECT_EQ(integers(convert(pack(shipped("csc", 2), entries), rows).tensor, "pntre"),
            (Integers{2, 2, 3, 6}));
}

TEST(Segments, Refusals) {
  auto plan = [](const std::string &name, const std::string &arrays, const std::string &pieces) {
    std::string text = refusal([&] {
      packing::plan_packing(layout_of("layout " + name + "(i: M, j: N) { " + arrays + pieces + " }"));
    });
    std::string begin = "cannot-pack: coordinates can't be packed into layout `" + name + "`: ";
    if (!text.starts_with(begin)) return text;
    return text.substr(begin.size(), text.find(" | ") - begin.size());
  };
  auto piece = [](const std::string &bounds) {
    return " stored { [r, p] -> [i, j] : i = r and 0 <= r < M and " + bounds + " and j = col(p) } at val(p);";
  };
  // What lies before the diagonal and behind it has other segments than all.
  EXPECT_EQ(plan("halves", "index ptr[M + 1], diag[M], col[K]; count K = ptr(M); value val[K];",
                 piece("ptr(r) <= p < diag(r)") + piece("diag(r) <= p < ptr(r + 1)")),
            "`diag` bounds segments in two ways, `ptr(r) <= p < diag(r)` and `diag(r) <= p < ptr(r + 1)`");
  EXPECT_EQ(plan("part", "index ptr[M + 1], end[M], col[K]; count K = ptr(M); value val[K];",
                 piece("ptr(r) <= p < ptr(r + 1) and p < end(r)")),
            "`ptr` bounds segments in two ways, `ptr(r) <= p < ptr(r + 1)` and `ptr(r) <= p < end(r)`");
  EXPECT_EQ(plan("few", "index b[M], e[N], col[K]; count K; value val[K];", piece("b(r) <= p < e(r)")),
            "the extents of `b` and `e` don't go together in `b(r) <= p < e(r)`");
  EXPECT_EQ(plan("both", "index b[M], e[M], col[K], c[M], f[M], row[K]; count K; value val[K], other[K];",
                 piece("b(r) <= p < e(r)") +
                     " stored { [r, p] -> [i, j] : i = r and 0 <= r < M and c(r) <= p < c(r) + f(r) and j = "
                     "row(p) } at other(p);"),
            "count `K` is both that of the segments of `b` and of those of position `p`");
  EXPECT_EQ(plan("places", "index col[W, M], len[M]; count W, V; value val[V, M];",
                 " stored { [r, s] -> [i, j] : i = r and 0 <= r < M and 0 <= s < len(r) and j = col(s, r) } "
                 "at val(s, r);"),
            "`col` has W places for position `s`, but `val` has V");
  EXPECT_EQ(plan("fixed", "index col[N, M], len[M]; value val[N, M];",
                 " stored { [r, s] -> [i, j] : i = r and 0 <= r < M and 0 <= s < len(r) and j = col(s, r) } "
                 "at val(s, r);"),
            "`col` has N places for position `s`, which is neither a number nor a count that nothing else "
            "determines");
  EXPECT_EQ(plan("twice", "index row[W], col[W, W], len[W]; count W; value val[W, W];",
                 " stored { [k, s] -> [i, j] : 0 <= k < W and i = row(k) and 0 <= s < len(k) and j = col(s, "
                 "k) } at val(s, k);"),
            "`col` has W places for position `s`, which is neither a number nor a count that nothing else "
            "determines");
  // An array for all slices' rows would say how many slots each of them uses; one for slices doesn't.
  EXPECT_EQ(plan("slices",
                 "index col[W, ceil(M / 2), 2], len[ceil(M / 2)]; count W; value val[W, ceil(M / 2), 2];",
                 " stored { [b, r, s] -> [i, j] : 0 <= b < ceil(M / 2) and 0 <= r < 2 and i = 2*b + r and i "
                 "< M and 0 <= "
                 "s < len(b) and j = col(s, b, r) } at val(s, b, r);"),
            "the subscripts of `len(b)` don't number the positions above `s`: `b, r`");
  EXPECT_EQ(plan("same", "index b[M], e[M], col[K]; count K; value val[K];",
                 " stored { [r, c, p] -> [i, j] : i = r and 0 <= r < M and 0 <= c < 2 and j = 2*col(p) + c "
                 "and b(c) <= p < "
                 "e(c) } at val(p);"),
            "`col(p)` doesn't have all positions above `p` among its subscripts");
}

/// Nine entries in a row of eight slots at most.
TEST(Segments, FixedPlaces) {
  Coordinates entries({1, 40});
  for (std::int64_t j = 0; j < 9; ++j)
    entries.append({0, 4 * j}, 1);
  EXPECT_EQ(refusal([&] {
              packed("bellr", entries, {1, 2});
            }),
            "not-storable: these entries can't be stored in layout `bellr<1, 2>`: 9 entries have the same "
            "`i`, but the layout has room for 8 (positions `s`) | choose another layout with -f");
}

/// Lengths may be narrower than begins, but not too narrow.
TEST(Segments, Width) {
  layout::Layout layout = layout_in("segments.layout", "csc_lengths", 2);
  PackPlan plan = packing::plan_packing(layout);
  for (std::int64_t length : {INT64_C(1) << 31, (INT64_C(1) << 31) - 1}) {
    Tensor tensor;
    tensor.layout = packing::with_pointers(layout, plan.segments);
    tensor.sizes = {{"M", 1}, {"N", 2}};
    tensor.counts = {{"NNZ", 2 * length}};
    Elements &pointers = tensor.arrays["start"] = Elements(DType::Int64, 3);
    for (std::size_t k = 0; k < 3; ++k)
      pointers.set_integer(k, static_cast<std::int64_t>(k) * length);
    std::string refused = refusal([&] { write_bounds(tensor, layout, plan.segments, {}); });
    if (length > INT32_MAX) {
      EXPECT_EQ(refused, "index-width: 2147483648 positions don't fit in the int32 elements of array `len` | "
                         "declare the array with elements int64");
    } else {
      EXPECT_EQ(refused, "no error");
      EXPECT_EQ(values_of<std::int64_t>(tensor, "start"), (Wide{0, length}));
      EXPECT_EQ(integers(tensor, "len"), (Integers{INT32_MAX, INT32_MAX}));
    }
  }
}

} // namespace
} // namespace unravel::convert
