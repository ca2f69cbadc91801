// Integers of 64 bits in the public interface, and arrays that are the caller's.
#include "unravel/unravel.h"

#include "library/thrown.h"

#include <cstdint>
#include <gtest/gtest.h>

namespace {

using unravel::Coordinates;
using unravel::Tensor;
using unravel::ValueType;
using unravel::test::thrown;

using Wide = std::vector<std::int64_t>;

constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;

unravel::Options portable() {
  unravel::Options options;
  options.machine = "portable";
  return options;
}

Wide elements(const Tensor &tensor) {
  const auto all = tensor.elements<std::int64_t>("val");
  return {all.begin(), all.end()};
}

} // namespace

TEST(LargeIntegers, ArePackedConvertedAndReadExactly) {
  const Coordinates entries{{3}, {{2, 0}}, {}, {}, {large, -large - 1}};
  const Tensor packed = Tensor::pack("sv", entries, ValueType::Int64);
  EXPECT_EQ(elements(packed), (Wide{-large - 1, large}));
  const Tensor dense = packed.to("dense");
  EXPECT_EQ(elements(dense), (Wide{-large - 1, 0, large}));
  const Coordinates found = dense.coordinates();
  EXPECT_EQ(found.integers, (Wide{-large - 1, 0, large}));
  EXPECT_EQ(found.values[2], 0x1p53);
  EXPECT_EQ(elements(Tensor::pack("dense", found, ValueType::Int64)), elements(dense));
  const Tensor without = Tensor::pack("sv", {{3}, {{0}}, {}, {}, {-1}}, ValueType::UInt64);
  EXPECT_EQ(without.elements<std::uint64_t>("val")[0], ~std::uint64_t{0});
  EXPECT_EQ(without.to("dense").elements<std::uint64_t>("val")[0], ~std::uint64_t{0});
  EXPECT_TRUE(Tensor::pack("sv", {{3}, {{0}}, {1.5}}).coordinates().integers.empty());
}

TEST(LargeIntegers, ThatTheTypeDoesNotHoldAreRefused) {
  const auto pack = [](const std::string &layout, const Coordinates &entries) {
    return thrown([&] { Tensor::pack(layout, entries, ValueType::Int64); });
  };
  EXPECT_NE(pack("sv", {{3}, {{0}}, {0x1p60}}).find("is beyond 2^53"), std::string::npos);
  EXPECT_NE(
      pack("sv uint64", {{3}, {{0}}, {}, {}, {-large}}).find("can't be stored in array `val` of uint64"),
      std::string::npos);
  EXPECT_NE(pack("sv", {{3}, {{0, 0}}, {}, {}, {INT64_MAX, 1}}).find("of int64 elements"), std::string::npos);
  EXPECT_NE(pack("sv", {{3}, {{0, 1}}, {}, {}, {1}}).find("there are 1 values, but 2 indices"),
            std::string::npos);
}

TEST(LargeIntegers, AreNoSizes) {
  const unravel::Kernel sized =
      unravel::make_kernel("tensor x(n), y(n); size k; for i in [k,n) { y(i) = x(i); }", portable());
  const Tensor x = Tensor::pack("dense", {{2}, {{0, 1}}, {1, 2}});
  EXPECT_NE(thrown([&] {
              sized(x, large);
            }).find("`k` is a size, for which an integer below 2^53 is expected, not 9007199254740992"),
            std::string::npos);
  EXPECT_EQ(sized(x, 1).to_dense(), (std::vector<double>{0, 2}));
  const unravel::Kernel shifted = unravel::make_kernel("y(i) = x(i+1)", portable());
  EXPECT_NE(thrown([&] {
              shifted({{"x", x}, {"i", large}});
            }).find("`i` is the extent of an index"),
            std::string::npos);
  EXPECT_NE(thrown([&] { shifted({{"x", x}, {"z", 0.5}}); }).find("has no tensor `z`"), std::string::npos);
}

TEST(Memory, IsWrittenWhereItMay) {
  const std::vector<std::int32_t> rowptr{0, 1, 2}, col{1, 0};
  std::vector<double> val{3, 4};
  const Tensor S = Tensor::over("csr", {2, 2}, {{"rowptr", rowptr}, {"col", col}, {"val", val}});
  EXPECT_FALSE(S.array("rowptr").is_writable());
  EXPECT_TRUE(S.array("val").is_writable());
  unravel::Options options = portable();
  options.formats = {{"D", "like:S"}};
  const Tensor D = unravel::evaluate("D(i,j) = 2 * S(i,j)", {{"S", S}}, options);
  EXPECT_EQ(D.array("col").data(), col.data());
  EXPECT_FALSE(D.array("col").is_writable());
  EXPECT_TRUE(D.array("val").is_writable());
}

TEST(Memory, IsKeptByAnotherTensor) {
  const auto diagonal = [](double number) { return Tensor::pack("csr", {{1, 1}, {{0}, {0}}, {number}}); };
  unravel::Options options = portable();
  options.formats = {{"A", "csr"}, {"C", "csr"}};
  const unravel::Kernel twice = unravel::make_kernel("C(i,j) = A(i,j) + A(i,j)", options);
  const Tensor C = twice({{"A", diagonal(1)}}), before = C.same_arrays();
  EXPECT_FALSE(C == before);
  EXPECT_EQ(before.array("val").data(), C.array("val").data());
  twice({{"C", C}, {"A", diagonal(5)}});
  EXPECT_EQ(C.to_dense(), (std::vector<double>{10}));
  EXPECT_EQ(before.to_dense(), (std::vector<double>{2}));
}

// 2^32 + 7 was truncated to 7 where the result's indices were int32, as one operand's were.
TEST(WideCoordinates, AreKeptInResultsThatAreMadeAndRefusedByNarrowOnes) {
  const std::int64_t extent = std::int64_t{1} << 33, far = (std::int64_t{1} << 32) + 7;
  Wide row{0}, column{far};
  std::vector<double> value{1};
  const Tensor a = Tensor::over("coo", {3, extent}, {{"row", row}, {"col", column}, {"val", value}});
  const Tensor s = Tensor::pack("sv", {{3}, {{0}}, {1}});
  for (const char *layout : {"coo", "csr", "dcsr"}) {
    unravel::Options options = portable();
    options.formats = {{"C", layout}};
    const Tensor c = unravel::evaluate("C(i,j) = s(i) * A(i,j)", {{"A", a}, {"s", s}}, options);
    EXPECT_EQ(c.coordinates().indices[1], Wide{far}) << layout;
  }
  std::vector<std::int32_t> none;
  std::vector<double> no_value;
  const Tensor narrow = Tensor::over("coo", {3, extent}, {{"row", none}, {"col", none}, {"val", no_value}});
  unravel::Options options = portable();
  options.formats = {{"C", "coo"}};
  const unravel::Kernel kernel = unravel::make_kernel("C(i,j) = A(i,j)", {{"A", a}, {"C", narrow}}, options);
  EXPECT_NE(thrown([&] { kernel(narrow, a); }).find("don't fit in its index arrays"), std::string::npos);
}
