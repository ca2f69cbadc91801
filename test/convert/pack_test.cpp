// Packing and unpacking: round trips, what can't be packed.
#include "check/validate.h"
#include "convert/pack.h"
#include "convert/pack_levels.h"
#include "convert/storable.h"
#include "packing/pack_layouts.h"
#include "sanitized.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unravel::convert {

using check::ValidationResult;
using check::Violation;
using data::Coordinates;
using data::Elements;
using data::Random;
using packing::derived_layout;
using packing::layouts_of;
using packing::PackPlan;
using packing::user_layouts;
using tensor::canonical;
using tensor::entries_of;
using tensor::IndexType;
using tensor::KernelArguments;
using tensor::layout_of;
using tensor::random_entries;
using tensor::refusal;
using tensor::shipped;
using tensor::Tensor;
using tensor::values_of;
using tensor::ValueType;

namespace {

std::vector<std::vector<std::int64_t>> shapes_of(std::size_t order) {
  switch (order) {
  case 0: return {{}};
  case 1: return {{0}, {1}, {7}};
  case 2: return {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 9}, {9, 1}, {6, 7}, {6, 6}, {40, 3}, {2, 300}};
  case 3: return {{0, 2, 3}, {1, 1, 1}, {4, 1, 5}, {3, 7, 4}};
  default: return {{1, 2, 1, 3}, {3, 2, 4, 2}, {2, 0, 1, 1}};
  }
}

TEST(Pack, RoundTrips) {
  Random random(7);
  const bool all = std::getenv("UNRAVEL_TEST_ALL") != nullptr;
  int number = 0;
  for (std::size_t order = 0; order <= 4; ++order)
    for (const layout::Layout &layout : layouts_of(order)) {
      PackPlan plan = packing::plan_packing(layout);
      for (const std::vector<std::int64_t> &shape : shapes_of(order))
        for (std::size_t count : {0, 1, 5, 60}) {
          Coordinates entries = random_entries(random, shape, count);
          if (!fits(layout, shape)) continue;
          entries = storable(layout, plan, std::move(entries));
          if (++number % 3 != 0 && !all) continue; // a sample
          for (IndexType index : {number % 2 ? IndexType::Int32 : IndexType::Int64})
            for (ValueType value : {number % 5 ? ValueType::Float64 : ValueType::Float32}) {
              Tensor tensor = pack(layout, plan, entries, {index, value});
              ValidationResult result = check::validate(tensor);
              for (const Violation &violation : result.violations)
                ADD_FAILURE() << layout.name << " " << fmt::format("{}", shape) << ": " << violation.message;
              Coordinates unpacked = unpack(tensor);
              EXPECT_EQ(unpacked, unpack_by_scan(tensor, 1 << 30)) << layout.name << fmt::format("{}", shape);
              EXPECT_EQ(canonical(unpacked), canonical(entries)) << layout.name << fmt::format("{}", shape);
            }
        }
    }
}

/// Enough entries for buckets, threads and long rows; with rows that are empty, full, and duplicates.
TEST(Pack, ManyEntries) {
  Random random(3);
  for (std::vector<std::int64_t> shape :
       {std::vector<std::int64_t>{3000, 2000}, {5, 20000}, {100000, 7}, {1, 1000}}) {
    Coordinates entries = random_entries(random, shape, test::is_sanitized ? 20000 : 60000);
    for (std::size_t e = 0; e < (test::is_sanitized ? 3000 : 9000); ++e)
      entries.append(
          {shape[0] / 2, static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(shape[1])))}, 1);
    for (const layout::Layout &layout : {shipped("csr", 2), shipped("csc", 2), shipped("dcsr", 2),
                                         shipped("coo", 2), shipped("bcsr", 2, {3, 3})}) {
      for (int form = 0; form < 4; ++form) {
        Coordinates given = entries;
        if (form == 1) sort(given, {1, 0});
        if (form == 2) given = canonical(given);
        if (form == 3) // the order in which duplicates are added up tells
          for (std::size_t e = 0; e < given.size(); ++e)
            given.value[e] = 1 / static_cast<double>(e + 1);
        Tensor tensor = pack(layout, given);
        EXPECT_TRUE(check::validate(tensor).ok());
        EXPECT_EQ(canonical(unpack(tensor)), canonical(given)) << layout.name << " " << form;
        if (form == 3) continue;
        Tensor single = pack(layout, given, {IndexType::Int64, ValueType::Float32});
        EXPECT_EQ(canonical(unpack(single)), canonical(given)) << layout.name << " " << form;
      }
    }
    for (std::int64_t buckets : {1, 64}) {
      if (shape[1] > 1000) continue; // tables as wide as the matrix
      layout::Layout table = shipped("hash_matrix", 2, {buckets});
      Tensor tensor = pack(table, entries);
      EXPECT_TRUE(check::validate(tensor).ok());
      EXPECT_EQ(canonical(unpack(tensor)), canonical(entries)) << "tables of " << buckets;
      Tensor single = pack(table, entries, {IndexType::Int64, ValueType::Float32});
      EXPECT_EQ(single.counts, tensor.counts);
      for (std::size_t k = 0; k < tensor.array("key").size(); ++k)
        ASSERT_EQ(single.array("key").integer(k), tensor.array("key").integer(k));
    }
    layout::Layout back = layout_of(user_layouts()[0]);
    Tensor tensor = pack(back, entries, {IndexType::Int64, ValueType::Float32});
    EXPECT_TRUE(check::validate(tensor).ok());
    EXPECT_EQ(canonical(unpack(tensor)), canonical(entries));
  }
}

TEST(Pack, Arrays) {
  Coordinates entries = entries_of({3, 4}, {{{2, 1}, 5}, {{0, 3}, 1}, {{2, 1}, 2}, {{0, 0}, 4}, {{2, 0}, 7}});
  Tensor csr = pack(shipped("csr", 2), entries);
  EXPECT_EQ(values_of<std::int32_t>(csr, "rowptr"), (std::vector<std::int32_t>{0, 2, 2, 4}));
  EXPECT_EQ(values_of<std::int32_t>(csr, "col"), (std::vector<std::int32_t>{0, 3, 0, 1}));
  EXPECT_EQ(values_of<double>(csr, "val"), (std::vector<double>{4, 1, 7, 7}));
  EXPECT_EQ(csr.counts.at("NNZ"), 4);
  KernelArguments arguments = kernel_arguments(csr);
  EXPECT_EQ(arguments.sizes, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(arguments.counts, (std::vector<std::int64_t>{4}));
  EXPECT_EQ(arguments.arrays[1], csr.array("col").data());

  Tensor dcsr = pack(shipped("dcsr", 2), entries, {IndexType::Int64, ValueType::Float32});
  EXPECT_EQ(values_of<std::int64_t>(dcsr, "rowidx"), (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(values_of<std::int64_t>(dcsr, "rowptr"), (std::vector<std::int64_t>{0, 2, 4}));
  EXPECT_EQ(values_of<float>(dcsr, "val"), (std::vector<float>{4, 1, 7, 7}));

  Tensor unsorted = pack(shipped("coo_unsorted", 2), entries);
  EXPECT_EQ(unpack(unsorted), entries_of({3, 4}, {{{2, 1}, 7}, {{0, 3}, 1}, {{0, 0}, 4}, {{2, 0}, 7}}));
  Tensor dup = pack(shipped("coo_dup", 2), entries);
  EXPECT_EQ(unpack(dup), entries);
  Tensor by_row = pack(layout_of(user_layouts()[7]), entries);
  EXPECT_EQ(unpack(by_row), entries_of({3, 4}, {{{0, 3}, 1}, {{0, 0}, 4}, {{2, 1}, 7}, {{2, 0}, 7}}));
  Tensor one = pack(layout_of(user_layouts()[1]), entries);
  EXPECT_EQ(values_of<std::int32_t>(one, "ptr"), (std::vector<std::int32_t>{0, 2, 2, 4}));
  EXPECT_EQ(values_of<std::int32_t>(one, "col"), (std::vector<std::int32_t>{1, 2, 1, 4}));
  EXPECT_EQ(values_of<double>(one, "val"), (std::vector<double>{-7, -7, -4, -1}));
  Tensor first = pack(layout_of(user_layouts()[2]), entries);
  EXPECT_EQ(values_of<std::int64_t>(first, "ptr"), (std::vector<std::int64_t>{0, 0, 2, 2, 4}));
  Tensor dense = pack(shipped("dense", 2, {1, 0}), entries);
  EXPECT_EQ(values_of<double>(dense, "val"), (std::vector<double>{4, 0, 7, 0, 0, 7, 0, 0, 0, 1, 0, 0}));
}

TEST(Pack, HashTables) {
  using Integers = std::vector<std::int32_t>;
  // 8 and 5 want the place of an entry before them; the sums are in the order of the input.
  Coordinates entries = entries_of({9}, {{{8}, 1}, {{3}, 2}, {{4}, 3}, {{8}, 5}, {{0}, 7}, {{5}, 9}});
  Tensor table = pack(shipped("hash_vector", 1, {4}), entries);
  EXPECT_EQ(table.counts.at("W"), 5);
  EXPECT_EQ(values_of<std::int32_t>(table, "key"), (Integers{0, 4, 8, 5, 3}));
  EXPECT_EQ(values_of<double>(table, "val"), (std::vector<double>{7, 3, 6, 9, 2}));
  // The input's order decides nothing.
  std::reverse(entries.index[0].begin(), entries.index[0].end());
  std::reverse(entries.value.begin(), entries.value.end());
  Tensor other = pack(shipped("hash_vector", 1, {4}), entries);
  EXPECT_EQ(other.array("key"), table.array("key"));
  EXPECT_EQ(pack(shipped("hash_vector", 1, {4}), Coordinates({9})).counts.at("W"), 0);
  EXPECT_EQ(pack(shipped("hash_vector", 1, {8}), entries_of({9}, {{{7}, 1}})).counts.at("W"), 8);

  Tensor rows = pack(shipped("hash_matrix", 2, {2}),
                     entries_of({3, 6}, {{{0, 5}, 1}, {{0, 1}, 2}, {{2, 4}, 3}, {{0, 3}, 4}}));
  EXPECT_EQ(rows.counts.at("W"), 4);
  EXPECT_EQ(values_of<std::int32_t>(rows, "key"), (Integers{-1, 1, 3, 5, -1, -1, -1, -1, 4, -1, -1, -1}));
  EXPECT_EQ(values_of<double>(rows, "val"), (std::vector<double>{0, 2, 4, 1, 0, 0, 0, 0, 3, 0, 0, 0}));

  // Segments of other segments' nodes, which lie where the table has them.
  layout::Layout listed = layout_of("layout listed(i: M, j: N) { levels i: hashed(4), j: compressed; }");
  Tensor lists = pack(listed, entries_of({9, 2}, {{{8, 1}, 1}, {{2, 0}, 2}, {{4, 1}, 3}, {{8, 0}, 4}}));
  EXPECT_EQ(values_of<std::int32_t>(lists, "key1"), (Integers{4, 8, 2}));
  EXPECT_EQ(values_of<std::int32_t>(lists, "pos2"), (Integers{0, 1, 3, 4}));
  EXPECT_EQ(values_of<double>(lists, "val"), (std::vector<double>{3, 4, 1, 2}));

  layout::Layout small = layout_of(R"(layout small(i: M) {
  index key[4]; value val[4];
  stored { [p] -> [i] : 0 <= p < 4 and i = key(p) and 0 <= i } at val(p);
  property forall p : -1 <= key(p) < M; property forall p : 0 <= key(p) => key(p) mod 4 <= p;
  property forall p, q : key(q) mod 4 <= p < q and 0 <= key(q) => 0 <= key(p);
  property forall p, q : p < q and 0 <= key(p) => key(p) != key(q); })");
  Tensor full = pack(small, entries_of({9}, {{{0}, 1}, {{1}, 1}, {{4}, 1}, {{5}, 1}}));
  EXPECT_EQ(values_of<std::int32_t>(full, "key"), (Integers{0, 4, 1, 5}));
  for (const Coordinates &many : {entries_of({9}, {{{0}, 1}, {{3}, 1}, {{7}, 1}}),
                                  entries_of({9}, {{{0}, 1}, {{1}, 1}, {{2}, 1}, {{3}, 1}, {{4}, 1}})})
    EXPECT_EQ(refusal([&] { pack(small, many); }),
              "not-storable: these entries can't be stored in layout `small`: an entry finds no free "
              "position `p` from `i mod 4` on: the layout has room for 4 | choose another layout with -f");
}

/// What a property says beyond that a slot isn't before its home is kept, or found out.
TEST(Pack, OtherTables) {
  const std::string slots = "index key[W]; count W; value val[W]; stored { [p] -> [i] : 0 <= p < W and i = "
                            "key(p) and 0 <= i } at val(p); property forall p : -1 <= key(p) < M; property "
                            "forall p : 0 <= key(p) => key(p) mod 4 <= p; ";
  Coordinates entries = entries_of({9}, {{{8}, 1}, {{3}, 2}, {{4}, 3}, {{1}, 5}});
  // Sorted, with gaps.
  layout::Layout sorted = layout_of("layout sorted(i: M) { " + slots +
                                    "property forall p, q : p < q and 0 <= key(p) and 0 <= key(q) => key(p) "
                                    "< key(q); }");
  EXPECT_EQ(values_of<std::int32_t>(pack(sorted, entries), "key"),
            (std::vector<std::int32_t>{-1, 1, -1, 3, 4, 8}));
  // No entry far from its home.
  layout::Layout near = layout_of("layout near(i: M) { " + slots +
                                  "property forall p : 0 <= key(p) => p <= key(p) mod 4 + 1; "
                                  "property forall p, q : p < q and 0 <= key(p) => key(p) != key(q); }");
  EXPECT_EQ(values_of<std::int32_t>(pack(near, entries), "key"), (std::vector<std::int32_t>{4, 8, 1, 3}));
  entries.append({0}, 1);
  EXPECT_EQ(refusal([&] { pack(near, entries); }).substr(0, 13), "not-storable:");
}

TEST(Pack, Runs) {
  using Integers = std::vector<std::int32_t>;
  layout::Layout runs = shipped("run_length", 2);
  Tensor packed = pack(runs, entries_of({3, 9}, {{{2, 4}, 1},
                                                 {{0, 2}, 5},
                                                 {{0, 1}, 5},
                                                 {{2, 3}, 0.5},
                                                 {{0, 3}, 6},
                                                 {{0, 8}, 6},
                                                 {{2, 3}, 0.5},
                                                 {{2, 5}, -1},
                                                 {{0, 0}, 5}}));
  EXPECT_EQ(values_of<std::int32_t>(packed, "rowptr"), (Integers{0, 3, 3, 5}));
  EXPECT_EQ(values_of<std::int32_t>(packed, "first"), (Integers{0, 3, 8, 3, 5}));
  EXPECT_EQ(values_of<std::int32_t>(packed, "stop"), (Integers{3, 4, 9, 5, 6}));
  EXPECT_EQ(values_of<double>(packed, "val"), (std::vector<double>{5, 6, 6, 1, -1}));
  EXPECT_EQ(packed.counts.at("NRUN"), 5);
  // A row ends a run, and so does another sign of zero.
  Tensor zeros =
      pack(runs, entries_of({2, 3}, {{{0, 2}, 0.0}, {{1, 0}, 0.0}, {{1, 1}, -0.0}, {{1, 2}, -0.0}}));
  EXPECT_EQ(values_of<std::int32_t>(zeros, "first"), (Integers{2, 0, 1}));
  EXPECT_EQ(pack(runs, Coordinates({4, 0})).counts.at("NRUN"), 0);
  // Where a property bounds them, longer ones are refused.
  layout::Layout pairs = layout_of(
      "layout pairs(i: M) { index first[K], stop[K]; count K; value val[K]; stored { [p] -> [i] : 0 <= p < K "
      "and first(p) <= i < stop(p) } at val(p); property forall p : 0 <= first(p) and stop(p) <= M; property "
      "forall p : stop(p) <= first(p) + 2; }");
  EXPECT_EQ(refusal([&] { pack(pairs, entries_of({9}, {{{1}, 1}, {{2}, 1}})); }), "no error");
  EXPECT_EQ(
      refusal([&] {
        pack(pairs, entries_of({9}, {{{1}, 1}, {{2}, 1}, {{3}, 1}}));
      }),
      "not-storable: these entries can't be stored in layout `pairs`: `forall p : stop(p) <= first(p) + "
      "2` does not hold: first[0] = 1, stop[0] = 4 for p = 0 | choose another layout with -f");
}

TEST(Unpack, GivenArrays) {
  // [1 2 0 0 0]
  // [0 3 0 0 4]
  // [0 0 0 0 5]
  Tensor blocks;
  blocks.layout = layout_of(tensor::bcsr_text, {2, 2});
  blocks.sizes = {{"M", 3}, {"N", 5}};
  blocks.arrays["rowptr"] = Elements::of<std::int32_t>({0, 2, 3});
  blocks.arrays["bcol"] = Elements::of<std::int32_t>({0, 2, 2});
  blocks.arrays["val"] = Elements::of<double>({1, 2, 0, 3, 0, 0, 4, 0, 5, 0, 0, 0});
  complete_counts(blocks);
  EXPECT_EQ(blocks.counts.at("NB"), 3);
  EXPECT_TRUE(check::validate(blocks, {.accesses = true}).ok());
  EXPECT_EQ(canonical(unpack(blocks)),
            entries_of({3, 5}, {{{0, 0}, 1}, {{0, 1}, 2}, {{1, 1}, 3}, {{1, 4}, 4}, {{2, 4}, 5}}));

  Tensor half;
  half.layout = layout_of(tensor::symmetric_text);
  half.sizes = {{"N", 3}};
  half.arrays["rowptr"] = Elements::of<std::int64_t>({0, 2, 2, 3});
  half.arrays["col"] = Elements::of<std::int64_t>({0, 2, 2});
  half.arrays["val"] = Elements::of<float>({1, 2, 3});
  complete_counts(half);
  EXPECT_TRUE(check::validate(half).ok());
  EXPECT_EQ(canonical(unpack(half)),
            entries_of({3, 3}, {{{0, 0}, 1}, {{0, 2}, 2}, {{2, 0}, 2}, {{2, 2}, 3}}));

  Tensor ones; // entries that are literals
  ones.layout = layout_of(
      "layout ones(i: M) { index idx[K]; count K; stored { [p] -> [i] : 0 <= p < K and i = idx(p) } at -2; "
      "property range idx in [0, M); }");
  ones.sizes = {{"M", 5}};
  ones.counts = {{"K", 2}};
  ones.arrays["idx"] = Elements::of<std::int32_t>({4, 1});
  EXPECT_EQ(unpack(ones), entries_of({5}, {{{4}, -2}, {{1}, -2}}));
}

TEST(Pack, Refusals) {
  const std::string forms =
      " | packing is derived for positions like `i = r`, `i = 4*b + r` with `0 <= r < 4`, `0 <= p < NNZ` and "
      "`f(r) <= p < f(r + 1)`, and for keys like `j = col(p)`, `j = 4*col(p) + c` and `j = i + off(p)`; "
      "other layouts' arrays can be given as a folder";
  const std::string undetermined = " | state how positions or coordinates determine it";
  auto plan = [](const std::string &text, std::vector<std::int64_t> parameters = {}) {
    return refusal([&] { packing::plan_packing(layout_of(text, parameters)); });
  };
  auto refused = [&](const std::string &layout, const std::string &why) {
    return "cannot-pack: coordinates can't be packed into layout `" + layout + "`: " + why + forms;
  };
  auto vector = [&](const std::string &relation) {
    return plan("layout vector(i: M) { index f[K]; count K; value val[K, 4]; stored { [p, r] -> [i] : "
                "0 <= p < K and " +
                relation + " } at val(p, r); }");
  };
  auto matrix = [&](const std::string &relation, const std::string &arrays) {
    return plan("layout matrix(i: M, j: N) { " + arrays + " stored { [p, r] -> [i, j] : " + relation +
                " } at val(p, r); }");
  };
  auto form = [](const std::string &part) {
    return "`" + part + "` is not of a form that packing is derived for";
  };
  // Blocks that overlap, that leave gaps.
  EXPECT_EQ(vector("i = 3*f(p) + r and 0 <= r < 4"), refused("vector", form("i = r + 3*f(p)")));
  EXPECT_EQ(vector("i = 4*f(p) + r and 0 <= r < 3"), refused("vector", form("i = r + 4*f(p)")));
  EXPECT_EQ(vector("i = 4*f(p) + 2*r and 0 <= r < 4"), refused("vector", form("i = 2*r + 4*f(p)")));
  // Differences of which both parts are unknown.
  EXPECT_EQ(matrix("0 <= p < K and i = f(p) and j = f(p) + r and 0 <= r < N",
                   "index f[K]; count K; value val[K, N];"),
            refused("matrix", form("j = r + f(p)")));
  EXPECT_EQ(matrix("0 <= p < K and i = j + f(p) and i + j = 2*r and 0 <= r < N",
                   "index f[K]; count K; value val[K, N];"),
            refused("matrix", form("i = j + f(p)")));
  // Half-open runs, runs in two coordinates.
  EXPECT_EQ(
      plan("layout heads(i: M) { index stop[K]; count K; value val[K]; stored { [p] -> [i] : 0 <= p < K and "
           "0 <= i < stop(p) } at val(p); }"),
      refused("heads", form("0 <= i")));
  EXPECT_EQ(
      plan(
          "layout boxes(i: M, j: N) { index top[K], end[K], left[K], right[K]; count K; value val[K]; stored "
          "{ [p] -> [i, j] : 0 <= p < K and top(p) <= i < end(p) and left(p) <= j < right(p) } at val(p); }"),
      refused("boxes", form("left(p) <= j")));
  const std::string half =
      "index idx[K]; count K; value val[K], other[K]; stored { [p] -> [i] : 0 <= p < K and i = "
      "idx(p) } at val(p); ";
  EXPECT_EQ(
      plan("layout halves(i: M) { " + half +
           "stored { [p] -> [i] : 0 <= p < K and i = idx(p) + 1 } at "
           "other(p); }"),
      "cannot-pack: coordinates can't be packed into layout `halves`: this piece shares some arrays, but not "
      "all, with those before | give the arrays as a folder");
  EXPECT_EQ(
      plan("layout part(i: M) { index idx[K, 2]; count K; value val[K]; stored { [p] -> [i] : 0 <= p < K and "
           "i = idx(p, 1) } at val(p); }"),
      "cannot-pack: coordinates can't be packed into layout `part`: its relation doesn't determine all of "
      "array `idx` | state how positions or coordinates determine it");
  EXPECT_EQ(
      plan("layout most(i: M) { count K; value val[M]; stored { [a] -> [i] : i = a and 0 <= a < M and i <= "
           "2*K } at val(a); }"),
      refused("most", "`i <= 2*K` does not say how large count `K` is"));
  EXPECT_EQ(plan("layout extra(i: M) { index idx[K], other[K]; count K; value val[K]; "
                 "stored { [p] -> [i] : 0 <= p < K and i = idx(p) } at val(p); }"),
            "cannot-pack: coordinates can't be packed into layout `extra`: its relation doesn't determine "
            "array `other`" +
                undetermined);
  EXPECT_EQ(plan("layout extra(i: M) { index idx[K]; count K; count P; value val[K]; "
                 "stored { [p] -> [i] : 0 <= p < K and i = idx(p) } at val(p); }"),
            "cannot-pack: coordinates can't be packed into layout `extra`: its relation doesn't determine "
            "count `P`" +
                undetermined);
  EXPECT_EQ(plan("layout twice(i: N, j: M) { value val[2*N, M]; stored { [a, b] -> [i, j] : i = a and j = b "
                 "and 0 <= a < N and 0 <= b < M } "
                 "at val(2*a, b); }"),
            "cannot-pack: coordinates can't be packed into layout `twice`: the slot `val(2*a, b)` doesn't "
            "number the entries by their "
            "last positions" +
                forms);

  EXPECT_EQ(
      refusal([&] {
        pack(derived_layout("dia", 2, {}), Coordinates({INT64_MAX, 2}));
      }),
      "not-storable: these entries can't be stored in layout `dia`: `j - i` goes beyond 64 bits | choose "
      "another layout with -f");
  layout::Layout csr = shipped("csr", 2);
  EXPECT_EQ(refusal([&] { pack(csr, Coordinates({3})); }),
            "wrong-shape: layout `csr` is for tensors of order 2, but the tensor has order 1");
  EXPECT_EQ(refusal([&] {
              pack(layout_of("layout square(i: N, j: N) { value val[N, N]; stored { [a, b] -> [i, j] : i = a "
                             "and j = b and 0 <= a < N "
                             "and 0 <= b < N } at val(a, b); }"),
                   Coordinates({3, 4}));
            }),
            "wrong-shape: layout `square` is for tensors whose extents `N` are equal, but the tensor is 3 x "
            "4 | choose another layout "
            "with -f");
  EXPECT_EQ(
      refusal([&] {
        pack(shipped("dense", 2), Coordinates({1 << 20, 1 << 20}), {.max_memory = 1 << 30});
      }),
      "memory-limit: a tensor of 1048576 x 1048576 with 0 entries in layout `dense` takes 8 TiB, more than "
      "the 1 GiB allowed | "
      "choose a layout for sparse tensors with -f, or raise the limit with --max-memory");
  EXPECT_EQ(refusal([&] {
              pack(shipped("dense", 3), Coordinates({INT64_MAX, INT64_MAX, 2}), {.max_memory = 1 << 30});
            }),
            "memory-limit: a tensor of 9223372036854775807 x 9223372036854775807 x 2 with 0 entries in "
            "layout `dense` takes more than "
            "2^63 bytes, more than the 1 GiB allowed | choose a layout for sparse tensors with -f, or raise "
            "the limit with --max-memory");
  // No room for the positions is the reason, not that pointers to them are narrow.
  EXPECT_EQ(refusal([&] {
              pack(shipped("packed_lower", 2), entries_of({100000, 100000}, {{{99999, 0}, 1}}),
                   {.max_memory = 1 << 30});
            }),
            "memory-limit: a tensor of 100000 x 100000 with 1 entries in layout `packed_lower` takes 37.25 "
            "GiB, more than the 1 GiB allowed | choose a layout for sparse tensors with -f, or raise the "
            "limit with --max-memory");
  EXPECT_EQ(
      refusal([&] {
        pack(shipped("sv", 1), entries_of({INT64_C(1) << 40}, {{{INT64_C(1) << 39}, 1}}));
      }),
      "index-width: indices `i` up to 1099511627775 don't fit in the int32 elements of array `idx` | use "
      "--index "
      "int64");
  EXPECT_EQ(refusal([&] {
              pack(layout_of(user_layouts()[2]), Coordinates({2, INT64_C(1) << 31}));
            }),
            "no error");
  EXPECT_EQ(
      refusal([&] {
        pack(layout_of(user_layouts()[2]), Coordinates({2, (INT64_C(1) << 31) + 1}));
      }),
      "index-width: indices `j` up to 2147483648 don't fit in the int32 elements of array `col` | declare "
      "the array with elements int64");
  EXPECT_EQ(refusal([&] { check_width(csr, "rowptr", {}, INT64_C(1) << 31, "2147483648 entries"); }),
            "index-width: 2147483648 entries don't fit in the int32 elements of array `rowptr` | use --index "
            "int64");
  Coordinates huge = entries_of({INT64_C(1) << 40}, {{{INT64_C(1) << 39}, 1}});
  EXPECT_EQ(unpack(pack(shipped("sv", 1), huge, {IndexType::Int64})), huge);

  layout::Layout whole = layout_of(
      "layout whole(i: M) { value val[M] : int32; stored { [a] -> [i] : i = a and 0 <= a < M } at val(a); }");
  EXPECT_EQ(unpack(pack(whole, entries_of({2}, {{{1}, 3}, {{1}, 4}}))),
            entries_of({2}, {{{0}, 0}, {{1}, 7}}));
  EXPECT_EQ(refusal([&] {
              pack(whole, entries_of({2}, {{{1}, 2.5}}));
            }),
            "value-width: value 2.5 can't be stored in array `val` of int32 elements | declare the array "
            "with elements f64, or give the tensor a type that holds it");
  layout::Layout lower = layout_of("layout lower(i: N, j: N) { index row[K], col[K]; count K; value val[K]; "
                                   "stored { [p] -> [i, j] : 0 <= p < K and i = row(p) and "
                                   "j = col(p) } at val(p); property range row in [0, N); property range col "
                                   "in [0, N); property forall p : col(p) <= row(p); }");
  EXPECT_EQ(refusal([&] { pack(lower, entries_of({3, 3}, {{{1, 1}, 1}, {{2, 0}, 1}})); }), "no error");
  EXPECT_EQ(refusal([&] {
              pack(lower, entries_of({3, 3}, {{{1, 1}, 1}, {{0, 2}, 1}}));
            }),
            "not-storable: these entries can't be stored in layout `lower`: the entry at (0, 2) doesn't "
            "satisfy `j <= i` | choose another layout with -f");
  auto refused_entries = [](const layout::Layout &layout, const Coordinates &entries) {
    std::string text = refusal([&] { pack(layout, entries); });
    std::string begin = "not-storable: these entries can't be stored in layout `" + layout.name + "`: ";
    std::string end = " | choose another layout with -f";
    if (!text.starts_with(begin) || !text.ends_with(end)) return text;
    return text.substr(begin.size(), text.size() - begin.size() - end.size());
  };
  EXPECT_EQ(refused_entries(shipped("symmetric_csr", 2), entries_of({3, 3}, {{{1, 0}, 2}, {{0, 1}, 2.5}})),
            "the entry at (0, 1) is 2.5, but the layout would make it 2");
  EXPECT_EQ(refused_entries(shipped("symmetric_csr", 2), entries_of({3, 3}, {{{0, 1}, 2}})),
            "the entry at (0, 1) is 2, but the layout would make it 0");
  EXPECT_EQ(refused_entries(shipped("skew_csr", 2), entries_of({3, 3}, {{{1, 1}, 2}})),
            "the entry at (1, 1) is 2, but the layout would make it 0");
  EXPECT_EQ(refused_entries(shipped("lower_diagonal", 2), entries_of({3, 3}, {{{1, 1}, 2}, {{0, 2}, 1}})),
            "the entry at (0, 2) doesn't satisfy `j < i` nor `i = j`");
  EXPECT_EQ(refused_entries(shipped("skyline", 2), entries_of({3, 3}, {{{1, 1}, 2}, {{0, 2}, 1}})),
            "the entry at (0, 2) doesn't satisfy `j <= i`");
  EXPECT_EQ(refused_entries(shipped("pattern_csr", 2), entries_of({3, 3}, {{{1, 1}, 1}, {{0, 2}, 3}})),
            "the layout stores the value 1 for each entry, but an entry is 3");
  EXPECT_EQ(
      refused_entries(shipped("warp24", 2), entries_of({1, 8}, {{{0, 4}, 1}, {{0, 5}, 3}, {{0, 7}, 1}})),
      "3 entries have the same `i` and `floor(j / 4)`, but the layout has room for 2 (positions `s`)");
  EXPECT_EQ(refused_entries(shipped("packed_lower", 2), entries_of({2, 2}, {{{0, 0}, 1}, {{0, 1}, 2}})),
            "the entry at (0, 1) doesn't satisfy `j <= i`");
  Coordinates outside({2, 2});
  outside.append({2, 0}, 1);
  EXPECT_EQ(refusal([&] { pack(csr, outside); }).substr(0, 9), "internal:");
}

/// Dense files and blocks list zeros outside of a triangle.
TEST(Pack, LeavesOutEntriesWithoutAPlaceThatHoldTheFill) {
  const Coordinates given = entries_of({2, 2}, {{{0, 0}, 1}, {{0, 1}, 0}, {{1, 0}, 0}, {{1, 1}, 3}});
  const Coordinates packed = unpack(pack(shipped("packed_lower", 2), given));
  EXPECT_EQ(packed.value, (std::vector<double>{1, 0, 3}));
  const Coordinates others = entries_of({2, 2}, {{{0, 1}, 0}, {{0, 1}, 2}});
  EXPECT_TRUE(refusal([&] { pack(shipped("packed_lower", 2), others); }).starts_with("not-storable"));
}

/// A count that a property gives, if the sizes are such.
TEST(Pack, CountsThatAnEquationDetermines) {
  for (const char *equation : {"N = 3*B", "3*B - N = 0", "N + 3 = 3*(B + 1)"}) {
    const layout::Layout threes =
        layout_of(fmt::format("layout threes(i: N) {{ count B; value val[B, 3]; stored {{ [p, c] -> [i] : 0 "
                              "<= p < B and 0 <= c < 3 and i "
                              "= 3*p + c }} at val(p, c); property {}; }}",
                              equation));
    const Coordinates six = entries_of({6}, {{{1}, 2}, {{5}, 3}});
    const Tensor packed = pack(threes, six);
    EXPECT_EQ(packed.counts.at("B"), 2) << equation;
    EXPECT_EQ(packed.array("val").size(), 6u);
    EXPECT_EQ(refusal([&] {
                pack(threes, entries_of({7}, {{{1}, 2}}));
              }).substr(0, 13),
              "not-storable:")
        << equation;
  }
}

/// Before each of its 10^12 positions gets a zero.
TEST(Pack, TooManyEntriesAreRefusedBeforePadding) {
  convert::PackOptions options;
  options.max_memory = INT64_MAX;
  Coordinates entries = entries_of({2'000'000, 1'000'000}, {{{0, 4}, 1}, {{0, 5}, 3}, {{0, 7}, 1}});
  EXPECT_EQ(refusal([&] { pack(shipped("warp24", 2), entries, options); }),
            "not-storable: these entries can't be stored in layout `warp24`: 3 entries have the same `i` and "
            "`floor(j / 4)`, but the layout has room for 2 (positions `s`) | choose another layout with -f");
}

TEST(Unpack, Refusals) {
  Tensor csr = pack(shipped("csr", 2), entries_of({2, 2}, {{{0, 1}, 1}, {{1, 0}, 2}}));
  EXPECT_EQ(refusal([&] { unpack(csr, 16); }),
            "memory-limit: the entries of layout `csr` take more memory than the 16 bytes allowed | raise "
            "the limit with --max-memory");
  csr.array("rowptr").set_integer(2, 9);
  const std::string apart_text = "outside-array: the arrays of layout `csr` don't fit together: ";
  EXPECT_EQ(refusal([&] { unpack(csr); }), apart_text + "`col(2)` lies outside the array, p = 2");
  EXPECT_EQ(refusal([&] { unpack_by_scan(csr, 1 << 20); }),
            "outside-array: the arrays of layout `csr` don't fit together: `j "
            "= col(p)` can't be evaluated for r = 1, p = 2 | an array is "
            "too short for it, or a number too large");
  EXPECT_EQ(
      check::validate_accesses(csr).at(0).message,
      "the arrays of layout `csr` don't fit together: `j = col(p)` can't be evaluated for r = 1, p = 2");
  csr.array("rowptr").set_integer(2, 2);
  csr.array("col").set_integer(1, -4);
  EXPECT_EQ(refusal([&] { unpack(csr); }),
            apart_text + "`col(1)` = -4 gives a coordinate `j` outside [0, 2)");
  csr.arrays["rowptr"] = Elements::of<std::int32_t>({0, 1});
  EXPECT_EQ(refusal([&] { unpack(csr); }), apart_text + "`rowptr(2)` lies outside the array");
  // What another condition makes needless is read, too: kernels scan for all rows alike.
  Tensor ends;
  ends.layout = layout_of(
      "layout ends(i: M, j: N) { index end[M], col[NNZ]; count NNZ; value val[NNZ]; stored { [r, p] -> "
      "[i, j] : i = r and 0 <= r < M and (r = 0 or end(r - 1) <= p) and 0 <= p < end(r) and j = "
      "col(p) } at val(p); property increasing end; property range col in [0, N); }");
  ends.sizes = {{"M", 2}, {"N", 3}};
  ends.counts = {{"NNZ", 3}};
  ends.arrays["end"] = Elements::of<std::int32_t>({1, 3});
  ends.arrays["col"] = Elements::of<std::int32_t>({0, 1, 2});
  ends.arrays["val"] = Elements::of<double>({1, 2, 3});
  const std::string unread =
      "the arrays of layout `ends` don't fit together: `end(r - 1)` can't be evaluated for r = 0, p = 0";
  EXPECT_EQ(check::validate_accesses(ends).at(0).message, unread);
  EXPECT_EQ(refusal([&] { unpack(ends); }),
            "outside-array: " + unread + " | an array is too short for it, or a number too large");
  csr = pack(shipped("csr", 2), entries_of({1, 2}, {{{0, 1}, 1}, {{0, 0}, 2}}));
  csr.arrays["val"] = Elements::of<double>({0});
  EXPECT_EQ(refusal([&] { unpack(csr); }),
            apart_text + "`val` doesn't have the elements that its extents say");
  Tensor apart;
  apart.layout = layout_of("layout apart(i: M) { value val[M]; stored { [a, b] -> [i] : i = 2*a + b and a = "
                           "b and 0 <= a < M } at val(a); }");
  apart.layout.pieces[0].relation =
      term::equal(term::variable("a") + term::variable("b"), term::variable("i"));
  apart.sizes = {{"M", 3}};
  apart.arrays["val"] = Elements::of<double>({1, 2, 3});
  EXPECT_EQ(refusal([&] { unpack(apart); }),
            "cannot-unpack: the entries of layout `apart` can't be enumerated: `a` has no bounds that are "
            "known before it | state bounds "
            "from positions that come before it");
}

} // namespace
} // namespace unravel::convert
