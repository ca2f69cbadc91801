// Validation: every form of property broken once, extents and counts, garbage; raw arrays in and out.
#include "check/validate.h"

#include "convert/pack.h"
#include "data/temporary_folder.h"
#include "tensor/layout_text.h"
#include "tensor/raw_arrays.h"

#include <climits>
#include <fmt/format.h>

namespace unravel::check {

using data::Array;
using data::ArrayFolder;
using data::Coordinates;
using data::DType;
using data::Elements;
using data::Random;
using data::TemporaryFolder;
using tensor::entries_of;
using tensor::IndexType;
using tensor::layout_of;
using tensor::refusal;
using tensor::shipped;
using tensor::Tensor;
using tensor::ValueType;

namespace {

/// A layout of one property over arrays f, g and segment pointers s, and what is found for given numbers.
struct Scene {
  explicit Scene(const std::string &property) : property_text(property) {
    tensor.layout = layout_of("layout scene(i: M) {\n"
                              "  index f[K], g[K], s[R + 1];\n  count K;\n  count R;\n  value val[K];\n"
                              "  stored { [p] -> [i] : 0 <= p < K and i = f(p) and 0 <= i < M } at val(p);\n"
                              "  property " +
                              property + ";\n}");
    tensor.sizes["M"] = 10;
  }

  std::string check(std::vector<std::int32_t> f, std::vector<std::int32_t> g = {},
                    std::vector<std::int64_t> s = {0}, ValidateOptions options = {}) {
    g.resize(f.size());
    tensor.counts = {{"K", static_cast<std::int64_t>(f.size())},
                     {"R", static_cast<std::int64_t>(s.size()) - 1}};
    tensor.arrays["f"] = Elements::of(f);
    tensor.arrays["g"] = Elements::of(g);
    tensor.arrays["s"] = Elements::of(s);
    tensor.arrays["val"] = Elements::of(std::vector<double>(f.size()));
    ValidationResult result = validate(tensor, options);
    if (result.ok()) return result.sampled.empty() ? "ok" : "ok, sampled";
    std::string start = "`" + property_text + "` does not hold: ";
    std::string message = result.violations[0].message;
    EXPECT_EQ(message.substr(0, start.size()), start);
    return message.substr(std::min(message.size(), start.size())) +
           (result.sampled.empty() ? "" : ", sampled");
  }

  std::string property_text;
  Tensor tensor;
};

TEST(Validate, Range) {
  Scene scene("range f in [1, M)");
  EXPECT_EQ(scene.check({1, 9, 5}), "ok");
  EXPECT_EQ(scene.check({}), "ok");
  EXPECT_EQ(scene.check({1, 9, 10, 0}), "f[2] = 10 is outside [1, 9]");
  EXPECT_EQ(scene.check({1, -1}), "f[1] = -1 is outside [1, 9]");
  std::vector<std::int32_t> many(300000, 3);
  EXPECT_EQ(scene.check(many), "ok");
  many[299999] = INT_MAX;
  many[200000] = INT_MIN;
  EXPECT_EQ(scene.check(many), "f[200000] = -2147483648 is outside [1, 9]");
  EXPECT_EQ(Scene("range f in [0, M]").check({10, 11}), "f[1] = 11 is outside [0, 10]");
}

TEST(Validate, Monotone) {
  EXPECT_EQ(Scene("increasing f").check({1, 1, 4}), "ok");
  EXPECT_EQ(Scene("increasing f").check({1, 1, 4, 3}), "f[2] = 4 and f[3] = 3");
  EXPECT_EQ(Scene("strictly increasing f").check({0, 1, 1}), "f[1] = 1 and f[2] = 1");
  EXPECT_EQ(Scene("strictly increasing f").check({INT_MIN, 0, INT_MAX}), "ok");
  EXPECT_EQ(Scene("decreasing f").check({4, 4, 1}), "ok");
  EXPECT_EQ(Scene("decreasing f").check({4, 5}), "f[0] = 4 and f[1] = 5");
  EXPECT_EQ(Scene("strictly decreasing f").check({4, 4}), "f[0] = 4 and f[1] = 4");
  EXPECT_EQ(Scene("strictly increasing (f, g)").check({1, 1, 2}, {3, 4, 0}), "ok");
  EXPECT_EQ(Scene("strictly increasing (f, g)").check({1, 1, 2}, {3, 3, 0}),
            "(f, g)[0] = (1, 3) and (f, g)[1] = (1, 3)");
  std::vector<std::int32_t> many(200001);
  for (std::size_t k = 0; k < many.size(); ++k)
    many[k] = static_cast<std::int32_t>(k);
  many[150000] = many[199999] = 7;
  EXPECT_EQ(Scene("increasing f").check(many), "f[149999] = 149999 and f[150000] = 7");
}

TEST(Validate, WithinSegments) {
  Scene scene("strictly increasing f within s");
  EXPECT_EQ(scene.check({5, 6, 1, 2, 0, 3}, {}, {0, 2, 2, 4, 6}), "ok");
  EXPECT_EQ(scene.check({5, 6, 1, 2, 4, 4}, {}, {0, 2, 2, 6}), "f[4] = 4 and f[5] = 4 in segment 2");
  EXPECT_EQ(scene.check({5, 4}, {}, {0, 1, 2}), "ok");
  EXPECT_EQ(scene.check({5, 4}, {}, {2, 0}), "ok")
      << "no position is in a segment that ends before it begins";
  EXPECT_EQ(scene.check({1, 2, 3}, {}, {-5, 1000000, -3}), "ok");
  EXPECT_EQ(scene.check({1, 2, 2}, {}, {-5, 1000000, -3}), "f[1] = 2 and f[2] = 2 in segment 0");
  EXPECT_EQ(scene.check({1, 2, 2}, {}, {INT64_MIN, INT64_MAX}), "f[1] = 2 and f[2] = 2 in segment 0");
  EXPECT_EQ(Scene("strictly decreasing (f, g) within s").check({2, 2, 5}, {1, 1, 1}, {0, 2, 3}),
            "(f, g)[0] = (2, 1) and (f, g)[1] = (2, 1) in segment 0");
  // Segments that overlap: more work than is done.
  std::vector<std::int32_t> rising(1000);
  for (std::size_t k = 0; k < rising.size(); ++k)
    rising[k] = static_cast<std::int32_t>(k);
  std::vector<std::int64_t> zigzag;
  for (int k = 0; k < 100; ++k)
    zigzag.push_back(k % 2 ? 1000 : 0);
  EXPECT_EQ(scene.check(rising, {}, zigzag), "ok, sampled");
}

TEST(Validate, Injective) {
  EXPECT_EQ(Scene("injective f").check({3, 1, 2}), "ok");
  EXPECT_EQ(Scene("injective f").check({3, 1, 2, 1, 3}), "f[1] = 1 and f[3] = 1");
  EXPECT_EQ(Scene("injective (f, g)").check({3, 1, 3}, {0, 0, 1}), "ok");
  EXPECT_EQ(Scene("injective (f, g)").check({3, 1, 3}, {1, 0, 1}),
            "(f, g)[0] = (3, 1) and (f, g)[2] = (3, 1)");
  EXPECT_EQ(Scene("injective f within s").check({3, 1, 3, 2, 3}, {}, {0, 2, 5}),
            "f[2] = 3 and f[4] = 3 in segment 1");
  EXPECT_EQ(Scene("injective f within s").check({3, 1, 3, 2}, {}, {0, 2, 4}), "ok");
  std::vector<std::int32_t> many(20000);
  for (std::size_t k = 0; k < many.size(); ++k)
    many[k] = static_cast<std::int32_t>(k * 7919 % 20011) - 9000;
  EXPECT_EQ(Scene("injective f").check(many), "ok");
  many[19000] = many[4];
  EXPECT_EQ(Scene("injective f").check(many), "f[4] = 2665 and f[19000] = 2665");
}

/// Formulas that hash tables have: in linear time.
TEST(Validate, Tables) {
  const ValidateOptions little{.budget = 1000};
  std::vector<std::int32_t> rising(100000);
  for (std::size_t k = 0; k < rising.size(); ++k)
    rising[k] = static_cast<std::int32_t>(2 * k);
  Scene differ("forall p, q : p < q and 0 <= f(p) => f(p) != f(q)");
  EXPECT_EQ(differ.check({1, 2, 3}), "ok");
  EXPECT_EQ(differ.check({1, -1, 2, -1, 1}), "f[0] = 1, f[4] = 1 for p = 0, q = 4");
  EXPECT_EQ(differ.check(rising, {}, {0}, little), "ok");
  rising[70000] = 8;
  EXPECT_EQ(differ.check(rising, {}, {0}, little), "f[4] = 8, f[70000] = 8 for p = 4, q = 70000");
  rising[70000] = 140000;
  Scene tuples("forall p, q : p < q => f(p) != f(q) or g(p) - p != g(q) - q");
  EXPECT_EQ(tuples.check({1, 1, 1}, {5, 7, 6}), "ok");
  EXPECT_EQ(tuples.check({1, 2, 1}, {5, 7, 7}), "f[0] = 1, f[2] = 1, g[0] = 5, g[2] = 7 for p = 0, q = 2");
  Scene within("forall r, p, q : s(r) <= p < q < s(r + 1) => f(p) != f(q)");
  EXPECT_EQ(within.check({1, 2, 1, 3}, {}, {0, 2, 4}), "ok");
  EXPECT_EQ(within.check({1, 2, 1, 3}, {}, {0, 1, 4}), "ok");
  EXPECT_EQ(within.check({1, 2, 3, 2}, {}, {0, 1, 4}), "f[1] = 2, f[3] = 2 for r = 1, p = 1, q = 3");
  EXPECT_EQ(within.check({1, 2, 3, 2}, {}, {0, 9, 4}).substr(0, 2), "f[");
  EXPECT_EQ(within.check({1, 2, 3, 4}, {}, {0, INT64_MAX, INT64_MIN}).substr(0, 12), "`p < s(r + 1");
  // Each entry's search, not each pair of positions.
  Scene gaps("forall p, q : floor(f(q) / 2) <= p < q and 0 <= f(q) => 0 <= f(p)");
  EXPECT_EQ(gaps.check(rising, {}, {0}, little), "ok");
  rising[500] = -1;
  EXPECT_EQ(gaps.check(rising, {}, {0}, little), "ok");
  rising[501] = 996;
  EXPECT_EQ(gaps.check(rising, {}, {0}, little), "f[500] = -1 for q = 501, p = 500");
}

TEST(Validate, Formulas) {
  EXPECT_EQ(Scene("s(0) = 0").check({}, {}, {0, 1}), "ok");
  EXPECT_EQ(Scene("s(0) = 0").check({}, {}, {1, 1}), "s[0] = 1");
  EXPECT_EQ(Scene("K <= M").check({1}), "ok");
  EXPECT_EQ(Scene("K < R").check({1}), "for these sizes and counts");
  Scene bound("forall p : f(p) <= g(p)");
  EXPECT_EQ(bound.check({1, 2, 3}, {1, 4, 3}), "ok");
  EXPECT_EQ(bound.check({1, 5, 3}, {1, 4, 3}), "f[1] = 5, g[1] = 4 for p = 1");
  Scene segments("forall r, p : s(r) <= p < s(r + 1) => r <= f(p)");
  EXPECT_EQ(segments.check({0, 5, 1}, {}, {0, 1, 2, 2}), "ok");
  EXPECT_EQ(segments.check({0, 5, 0}, {}, {0, 1, 3}), "f[2] = 0 for r = 1, p = 2");
  EXPECT_EQ(segments.check({0, 5, 0}, {}, {-9, INT64_MAX, INT64_MIN, 3}),
            "`p < s(r + 1)` can't be evaluated for r = 1, p = 0");
  Scene order("forall r, p, q : s(r) <= p < q < s(r + 1) => f(p) < f(q)");
  EXPECT_EQ(order.check({1, 2, 0, 4}, {}, {0, 2, 4}), "ok");
  EXPECT_EQ(order.check({1, 2, 0, 0}, {}, {0, 2, 4}), "f[2] = 0, f[3] = 0 for r = 1, p = 2, q = 3");
  std::vector<std::int32_t> rising(100000);
  for (std::size_t k = 0; k < rising.size(); ++k)
    rising[k] = static_cast<std::int32_t>(k);
  EXPECT_EQ(order.check(rising, {}, {0, 100000}, {.budget = 1000}), "ok") << "neighbours suffice: linear";
  // No chain: the pairs are too many.
  const std::vector<std::int32_t> others(rising.size(), -1);
  Scene pairs("forall p, q : p < q => f(p) != g(q)");
  EXPECT_EQ(pairs.check({1, 2, 3}, {1, 1, 3}), "f[0] = 1, g[1] = 1 for p = 0, q = 1");
  EXPECT_EQ(pairs.check(rising, others, {0}, {.budget = 1000}), "ok, sampled");
  EXPECT_EQ(pairs.check(others, others, {0}, {.budget = 1000}).substr(0, 2), "f[");
  Scene wide("forall p : 4294967296 * f(p) + 4294967295 * g(p) >= 0");
  EXPECT_EQ(wide.check({1, 2}, {3, 4}), "ok");
  EXPECT_EQ(wide.check({INT32_MAX}, {INT32_MAX}),
            "`0 <= 4294967296*f(p) + 4294967295*g(p)` can't be evaluated for p = 0");
}

/// Formulas over pairs of positions whose conclusion is transitive: checked in full although there are far
/// too many pairs, and broken at the first, a middle and the last pair of neighbours.
TEST(Validate, PairsOfWhichNeighboursSuffice) {
  struct Case {
    std::string property;
    std::vector<std::int32_t> f, g;
    std::int32_t broken; // where f holds it, it and the next element are wrong
  };
  constexpr std::int32_t count = 100000;
  std::vector<std::int32_t> rising(count), halves(count), parity(count), falling(count), padded(count, -1);
  for (std::int32_t k = 0; k < count; ++k) {
    auto at = static_cast<std::size_t>(k);
    rising[at] = k;
    halves[at] = k / 2;
    parity[at] = k % 2;
    falling[at] = -k;
    if (k < count - 1) padded[at] = k;
  }
  const std::vector<Case> cases = {
      {"forall r, p, q : s(r) <= p < q < s(r + 1) => f(p) < f(q) or (f(p) = f(q) and g(p) < g(q))", halves,
       parity, count},
      {"forall r, p, q : s(r) <= p < q < s(r + 1) => f(p) + 1 <= f(q)", rising, {}, count},
      {"forall p, q : p < q => 2*f(p) < 2*f(q) - 1", rising, {}, count},
      {"forall p, q : p < q => f(p) >= f(q) and g(p) < g(q)", falling, rising, -count},
      {"forall p, q : p < q and 0 <= f(q) => 0 <= f(p) and f(p) < f(q)", padded, {}, count},
  };
  const ValidateOptions options{.budget = 1000, .samples = 10};
  for (const Case &one : cases) {
    Scene scene(one.property);
    std::vector<std::int64_t> segment = {0, count};
    EXPECT_EQ(scene.check(one.f, one.g, segment, options), "ok") << one.property;
    for (std::int32_t p : {0, count / 2, count - 3}) {
      std::vector<std::int32_t> f = one.f;
      f[static_cast<std::size_t>(p)] = one.broken;
      std::string found = scene.check(f, one.g, segment, options);
      EXPECT_NE(found.find(fmt::format("p = {}, q = {}", p, p + 1)), std::string::npos)
          << one.property << ": " << found;
    }
  }
  // In the last of many segments.
  Scene scene(cases[0].property);
  std::vector<std::int64_t> segments;
  for (std::int32_t k = 0; k <= count; k += 10)
    segments.push_back(k);
  std::vector<std::int32_t> f = halves;
  f[count - 2] = count;
  EXPECT_EQ(
      scene.check(f, parity, segments, options),
      "f[99998] = 100000, f[99999] = 49999, g[99998] = 0, g[99999] = 1 for r = 9999, p = 99998, q = 99999");
  // Not transitive: all pairs of each segment, but none beyond it.
  Scene pairs("forall r, p, q : s(r) <= p < q < s(r + 1) => f(p) != f(q)");
  EXPECT_EQ(pairs.check(rising, {}, segments, {.budget = 2'000'000}), "ok");
  rising[count - 1] = count - 9;
  EXPECT_EQ(pairs.check(rising, {}, segments, {.budget = 2'000'000}),
            "f[99991] = 99991, f[99999] = 99991 for r = 9999, p = 99991, q = 99999");
}

Tensor small_csr() {
  return convert::pack(shipped("csr", 2), entries_of({3, 4}, {{{0, 1}, 1}, {{0, 3}, 2}, {{2, 0}, 3}}));
}

std::string first_violation(const Tensor &tensor) {
  ValidationResult result = validate(tensor);
  return result.ok() ? "ok"
                     : report::name_of(result.violations[0].kind) + ": " + result.violations[0].message;
}

TEST(Validate, ExtentsAndCounts) {
  EXPECT_EQ(first_violation(small_csr()), "ok");
  Tensor tensor = small_csr();
  tensor.arrays["col"] = Elements::of<std::int32_t>({1, 3});
  EXPECT_EQ(first_violation(tensor), "extent-mismatch: array `col` has 2 elements, but `col[NNZ]` is for 3");
  tensor = small_csr();
  tensor.arrays.erase("val");
  EXPECT_EQ(first_violation(tensor), "extent-mismatch: array `val` is missing");
  tensor = small_csr();
  tensor.arrays["col"] = Elements::of<double>({1, 3, 0});
  EXPECT_EQ(first_violation(tensor), "extent-mismatch: index array `col` holds f8 instead of integers");
  tensor = small_csr();
  tensor.counts.clear();
  EXPECT_EQ(first_violation(tensor), "ok") << "counts that are defined may be left out";
  tensor.array("rowptr").set_integer(3, 2);
  EXPECT_EQ(first_violation(tensor), "extent-mismatch: array `col` has 3 elements, but `col[NNZ]` is for 2");
  tensor.counts["NNZ"] = 3;
  EXPECT_EQ(first_violation(tensor),
            "extent-mismatch: count `NNZ = rowptr(M)` does not hold: NNZ is 3, but rowptr(M) is 2");
  tensor.counts["NNZ"] = -3;
  EXPECT_EQ(first_violation(tensor), "extent-mismatch: count `NNZ` is -3, less than 0");
  tensor.sizes.erase("M");
  EXPECT_EQ(first_violation(tensor), "extent-mismatch: size `M` is missing");
  tensor.sizes["M"] = INT64_MAX;
  tensor.counts.clear();
  EXPECT_EQ(first_violation(tensor),
            "extent-mismatch: array `rowptr` has 4 elements, but `rowptr[M + 1]` is for unknown");
  Tensor dcsr = convert::pack(shipped("dcsr", 2), Coordinates({2, 2}));
  dcsr.counts.clear();
  EXPECT_EQ(first_violation(dcsr), "extent-mismatch: count `NR` is missing");
}

TEST(Validate, Errors) {
  Tensor tensor = small_csr();
  EXPECT_EQ(refusal([&] { require_ok(validate(tensor), tensor, "operand `A`"); }), "no error");
  tensor.array("col").set_integer(0, 3);
  EXPECT_EQ(refusal([&] { require_ok(validate(tensor), tensor, "operand `A`"); }),
            "property-violated: the arrays of operand `A` are not a tensor in layout `csr`: `strictly "
            "increasing col within rowptr` does "
            "not hold: col[0] = 3 and col[1] = 3 in segment 0");
  tensor.array("rowptr").set_integer(0, 1);
  EXPECT_EQ(refusal([&] { require_ok(validate(tensor), tensor, "operand `A`"); }),
            "property-violated: the arrays of operand `A` are not a tensor in layout `csr`: `rowptr(0) = 0` "
            "does not hold: rowptr[0] = 1");
  tensor.array("rowptr").set_integer(3, 1000000);
  EXPECT_EQ(refusal([&] { require_ok(validate(tensor), tensor, "operand `A`"); }),
            "extent-mismatch: the arrays of operand `A` are not a tensor in layout `csr`: count `NNZ = "
            "rowptr(M)` does not hold: NNZ is "
            "3, but rowptr(M) is 1000000");
}

/// Arrays of garbage are judged, and never read outside their elements (run under the address sanitizer).
TEST(Validate, Garbage) {
  Random random(11);
  std::vector<layout::Layout> layouts = {shipped("csr", 2),
                                         shipped("csc", 2),
                                         shipped("dcsr", 2),
                                         shipped("coo", 2),
                                         shipped("coo_unsorted", 2),
                                         layout_of(tensor::bcsr_text, {2, 3}),
                                         layout_of(tensor::symmetric_text)};
  auto number = [&]() -> std::int64_t {
    switch (random.below(5)) {
    case 0: return static_cast<std::int64_t>(random.next());
    case 1: return INT64_MAX - static_cast<std::int64_t>(random.below(2));
    case 2: return INT64_MIN + static_cast<std::int64_t>(random.below(2));
    default: return static_cast<std::int64_t>(random.below(8)) - 1;
    }
  };
  int valid = 0;
  for (int round = 0; round < 2000; ++round) {
    Tensor tensor;
    tensor.layout = layouts[random.below(layouts.size())];
    for (const std::string &size : tensor.layout.sizes)
      tensor.sizes[size] = random.below(20) == 0 ? number() : static_cast<std::int64_t>(random.below(4));
    for (const layout::Count &count : tensor.layout.counts)
      if (!count.definition) tensor.counts[count.name] = static_cast<std::int64_t>(random.below(4));
    // Lengths that fit often enough for the properties to be reached.
    bool wide = random.below(2) == 0;
    for (const layout::Array &array : tensor.layout.arrays) {
      std::int64_t length = element_count(array, tensor).value_or(static_cast<std::int64_t>(random.below(5)));
      if (length > 100 || random.below(15) == 0) length = static_cast<std::int64_t>(random.below(6));
      Elements elements(array.is_value ? DType::Float64
                        : wide         ? DType::Int64
                                       : DType::Int32,
                        static_cast<std::size_t>(length));
      for (std::size_t k = 0; k < elements.size(); ++k)
        if (array.is_value)
          elements.set_real(k, 1);
        else
          elements.set_integer(k, random.below(3) == 0 ? number()
                                                       : static_cast<std::int64_t>(k) +
                                                             static_cast<std::int64_t>(random.below(2)));
      if (!array.is_value && elements.size() > 0 && random.below(2)) elements.set_integer(0, 0);
      tensor.arrays[array.name] = std::move(elements);
      complete_counts(tensor);
    }
    ValidationResult result = validate(tensor, {.budget = 10000, .samples = 100});
    std::string scanned = refusal([&] { convert::unpack_by_scan(tensor, 1 << 20); });
    std::string unpacked = refusal([&] { convert::unpack(tensor, 1 << 20); });
    if (!result.ok()) continue;
    ++valid;
    EXPECT_EQ(scanned, "no error") << layout::to_text(tensor.layout);
    EXPECT_EQ(unpacked, "no error") << layout::to_text(tensor.layout);
  }
  EXPECT_GT(valid, 50);
}

TEST(RawArrays, RoundTrip) {
  TemporaryFolder folder;
  for (IndexType index : {IndexType::Int32, IndexType::Int64}) {
    Tensor tensor = convert::pack(shipped("dcsr", 2), entries_of({3, 4}, {{{0, 1}, 1}, {{2, 3}, 2}}),
                                  {index, ValueType::Float32});
    data::write_folder(folder.path("d"), to_folder(tensor));
    ArrayFolder read = data::read_folder(folder.path("d"));
    EXPECT_EQ(read.layout, "dcsr");
    Tensor back = tensor::from_folder(read, tensor.layout, index, ValueType::Float32);
    EXPECT_EQ(back.arrays, tensor.arrays);
    EXPECT_EQ(back.sizes, tensor.sizes);
    EXPECT_EQ(back.counts, tensor.counts);
    EXPECT_EQ(convert::unpack(tensor::from_folder(read, tensor.layout)), convert::unpack(tensor));
  }
  Tensor dense = convert::pack(shipped("dense", 2, {1, 0}), entries_of({2, 3}, {{{0, 1}, 1}}));
  ArrayFolder raw = to_folder(dense);
  EXPECT_EQ(raw.parameters, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(raw.array("val").shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(convert::unpack(tensor::from_folder(raw, dense.layout)), convert::unpack(dense));
}

TEST(RawArrays, Refusals) {
  Tensor tensor = small_csr();
  ArrayFolder good = to_folder(tensor);
  auto refuse = [&](auto change) {
    ArrayFolder folder = good;
    change(folder);
    return refusal([&] { tensor::from_folder(folder, tensor.layout); });
  };
  EXPECT_EQ(refuse([](ArrayFolder &folder) { folder.counts.clear(); }), "no error");
  EXPECT_EQ(refuse([](ArrayFolder &folder) { folder.sizes.erase("N"); }),
            "bad-array-folder: layout.json doesn't give size `N` of layout `csr`");
  EXPECT_EQ(refuse([](ArrayFolder &folder) {
              folder.arrays["col"] = Array::of<double>({1, 3, 0});
            }),
            "bad-array-folder: index array `col` holds f8 instead of integers");
  EXPECT_EQ(refuse([](ArrayFolder &folder) {
              folder.arrays["col"] = Array::of<std::int64_t>({1, 3, INT64_C(1) << 31});
            }),
            "index-width: col[2] = 2147483648 doesn't fit in int32 | use --index int64");
  EXPECT_EQ(refuse([](ArrayFolder &folder) {
              folder.arrays["col"] = Array::of<std::uint64_t>({1, 3, UINT64_MAX});
            }),
            "index-width: col[2] = 18446744073709551615 doesn't fit in int32");
  EXPECT_EQ(refuse([](ArrayFolder &folder) {
              folder.arrays["col"] = Array::of<std::uint8_t>({1, 3, 0});
            }),
            "no error");
  EXPECT_EQ(refuse([](ArrayFolder &folder) {
              folder.arrays["col"] = Array::of<std::uint8_t>({1, 3});
            }),
            "bad-array-folder: array `col` has shape [2], but `col[NNZ]` is [3]");
  EXPECT_EQ(refuse([](ArrayFolder &folder) { folder.sizes["M"] = -5; }),
            "bad-array-folder: array `rowptr` has shape [4], but `rowptr[M + 1]` is [0]");
  ArrayFolder folder = good;
  folder.counts.clear();
  Tensor dcsr = convert::pack(shipped("dcsr", 2), Coordinates({2, 2}));
  ArrayFolder bare = to_folder(dcsr);
  bare.counts.clear();
  EXPECT_EQ(refusal([&] { tensor::from_folder(bare, dcsr.layout); }),
            "bad-array-folder: layout.json doesn't give count `NR` of layout `dcsr`");
}

} // namespace
} // namespace unravel::check
