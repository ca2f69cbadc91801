// Tensors of the public interface, and kernels that are called with them.
#include "unravel/unravel.h"

#include "library/state.h"
#include "library/thrown.h"
#include "tensor/raw_arrays.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace {

using unravel::Coordinates;
using unravel::Tensor;
using unravel::test::thrown;

using Doubles = std::vector<double>;
using Integers = std::vector<std::int32_t>;
using Wide = std::vector<std::int64_t>;

#define EXPECT_THROWN(text, ...)                                                                             \
  EXPECT_NE(thrown([&] { __VA_ARGS__; }).find(text), std::string::npos) << thrown([&] { __VA_ARGS__; })

unravel::Options portable(std::map<std::string, std::string> formats = {}) {
  unravel::Options options;
  options.machine = "portable";
  options.formats = std::move(formats);
  return options;
}

/// 1 0 2
/// 0 0 0
/// 0 3 0
struct Sparse {
  Integers rowptr = {0, 2, 2, 3}, col = {0, 2, 1};
  Doubles val = {1, 2, 3};
  Tensor tensor() { return Tensor::over("csr", {3, 3}, {{"rowptr", rowptr}, {"col", col}, {"val", val}}); }
};

const Coordinates sparse = {{3, 3}, {{0, 0, 2}, {0, 2, 1}}, {1, 2, 3}};
const Doubles sparse_dense = {1, 0, 2, 0, 0, 0, 0, 3, 0};

TEST(Tensors, OverArraysCopyNothing) {
  Sparse s;
  const Tensor A = s.tensor();
  EXPECT_EQ(A.layout(), "csr");
  EXPECT_EQ(A.shape(), (Wide{3, 3}));
  EXPECT_EQ(A.numbers(), (std::map<std::string, std::int64_t>{{"M", 3}, {"N", 3}, {"NNZ", 3}}));
  EXPECT_EQ(A.array_names(), (std::vector<std::string>{"rowptr", "col", "val"}));
  EXPECT_EQ(A.elements<double>("val").data(), s.val.data());
  EXPECT_EQ(A.elements<std::int32_t>("col").data(), s.col.data());
  s.val[0] = 7;
  EXPECT_EQ(A.to_dense().front(), 7);
  EXPECT_EQ(A.value_type_of(), unravel::ValueType::Float64);
  EXPECT_EQ(A.index_type_of(), unravel::ValueType::Int32);
  EXPECT_THROWN("array `val` has elements f64, not f32", A.elements<float>("val"));
  EXPECT_THROWN("layout `csr` has no array `rowpt`", A.array("rowpt"));
}

TEST(Tensors, complex_values) {
  using Number = std::complex<double>;
  Sparse s;
  std::vector<Number> val{{1, 2}, 3, {0, -1}}, x{{1, 1}, 2, {0, 1}};
  const Tensor A = Tensor::over("csr", {3, 3}, {{"rowptr", s.rowptr}, {"col", s.col}, {"val", val}});
  EXPECT_EQ(A.elements<Number>("val").data(), val.data());
  EXPECT_EQ(A.value_type_of(), unravel::ValueType::Complex128);
  const Tensor y = unravel::evaluate("y(i) = A(i,j) * x(j)",
                                     {{"A", A}, {"x", Tensor::over("dense", {3}, {{"val", x}})}}, portable());
  EXPECT_EQ(y.to_complex_dense(), (std::vector<Number>{{-1, 6}, 0, {0, -2}}));
  EXPECT_THROWN("the tensor's values are complex", y.to_dense());
  EXPECT_THROWN("array `val` has elements complex128, not f64", y.elements<double>("val"));

  std::vector<std::complex<float>> single{{1, 2}, {3, -4}};
  const Tensor z = Tensor::over("dense", {2}, {{"val", single}});
  const Tensor n = unravel::evaluate("n = conj(z(i)) * z(i)", {{"z", z}}, portable());
  EXPECT_EQ(n.complex_value(), Number(30));
  EXPECT_EQ(n.value_type_of(), unravel::ValueType::Complex64);
  EXPECT_THROWN("complex_value()", n.value());
  EXPECT_EQ(unravel::evaluate("m = real(conj(z(i)) * z(i))", {{"z", z}}, portable()).value(), 30);

  const unravel::Coordinates entries{{2, 2}, {{0, 1, 1}, {1, 0, 0}}, {1, 2, 3}, {4, 5, 6}};
  const Tensor packed = Tensor::pack("csc", entries, unravel::ValueType::Complex128);
  EXPECT_EQ(packed.to_complex_dense(), (std::vector<Number>{0, {1, 4}, {5, 11}, 0}));
  EXPECT_EQ(packed.to("ell").to_complex_dense(), packed.to_complex_dense());
  EXPECT_EQ(packed.coordinates().imaginary, (Doubles{11, 4}));
  EXPECT_THROWN("the entries are complex", Tensor::pack("csc", entries));

  const unravel::Kernel scaled = unravel::make_kernel("y(i) = a * z(i)", portable());
  EXPECT_EQ(scaled({{"a", Number(0, 1)}, {"z", z}}).to_complex_dense(),
            (std::vector<Number>{{-2, 1}, {4, 3}}));
  const unravel::Kernel of_type =
      unravel::make_kernel("y(i) = a * z(i)", portable({{"a", "dense complex128"}}));
  for (const Number a : {Number(2, 1), Number(2, 0), Number(0, 1)}) // the type isn't the value's
    EXPECT_EQ(of_type(a, z).to_complex_dense(), (std::vector<Number>{a * Number(1, 2), a * Number(3, -4)}));
}

TEST(Tensors, NumbersForScalarsOfAType) {
  Doubles b = {1, 2};
  const Tensor x = Tensor::over("dense", {2}, {{"val", b}});
  const auto kernel = [](const std::string &format) {
    return unravel::make_kernel("y(i) = a * x(i)", portable({{"a", format}}));
  };
  EXPECT_EQ(kernel("dense f32")(0.1, x).to_dense(), (Doubles{0.1F, 2 * 0.1F}));
  EXPECT_EQ(kernel("dense f32")(2, x).to_dense(), (Doubles{2, 4}));
  EXPECT_EQ(kernel("dense int64")(3, x).to_dense(), (Doubles{3, 6}));
  EXPECT_EQ(kernel("dense complex64")(3, x).to_complex_dense(), (std::vector<std::complex<double>>{3, 6}));
  EXPECT_THROWN("value 2.5 can't be stored in array `val` of int64", kernel("dense int64")(2.5, x));
  EXPECT_THROWN("value 300 can't be stored in array `val` of int8", kernel("dense int8")(300, x));
  EXPECT_THROWN("beyond 2^53", kernel("dense int64")(0x1p60, x));
  EXPECT_THROWN("the entries are complex", kernel("dense f32")(std::complex<double>(2, 1), x));
}

TEST(Tensors, ValuesArentLookedAt) {
  constexpr std::size_t count = 1 << 17;
  void *memory = mmap(nullptr, count * sizeof(double), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const unravel::Array val(unravel::ValueType::Float64, memory, count, true); // reading it would be the end
  EXPECT_EQ(Tensor::over("dense", {count}, {{"val", val}}).array("val").data(), memory);
  munmap(memory, count * sizeof(double));
}

TEST(Tensors, ArraysThatDontFitAreRefused) {
  Integers rowptr = {0, 2, 2, 3}, col = {0, 2, 1};
  Doubles val = {1, 2};
  const auto over = [&](const std::vector<std::int64_t> &shape = {3, 3}) {
    return Tensor::over("csr", shape, {{"rowptr", rowptr}, {"col", col}, {"val", val}});
  };
  EXPECT_THROWN("array `val` has 2 elements, but `val[NNZ]` of layout `csr` has 3: 1 too few", over());
  val.resize(5);
  EXPECT_THROWN("3: 2 too many [extent-mismatch]", over());
  val.resize(3);
  EXPECT_THROWN("array `rowptr` has 4 elements, but `rowptr[M + 1]`", over({4, 3}));
  col[1] = 3;
  EXPECT_THROWN("[property-violated]", over());
  col[1] = 2;
  over();
  EXPECT_THROWN("array `col` of layout `csr` is missing", Tensor::over("csr", {3, 3}, {{"rowptr", rowptr}}));
  EXPECT_THROWN("layout `dense` has no array `data`",
                Tensor::over("dense", {3}, {{"val", val}, {"data", val}}));
  EXPECT_THROWN("index array `rowptr` has elements f64: int32 or int64 is expected",
                Tensor::over("csr", {3, 3}, {{"rowptr", val}, {"col", col}, {"val", val}}));
  Wide wide = {0, 2, 1};
  EXPECT_THROWN("array `col` has elements int64, others have int32",
                Tensor::over("csr", {3, 3}, {{"rowptr", rowptr}, {"col", wide}, {"val", val}}));
  EXPECT_THROWN("did you mean `csr`?", Tensor::over("csrr", {3, 3}, {}));
  EXPECT_THROWN("an extent is negative", Tensor::over("dense", {-3}, {{"val", val}}));
}

TEST(Tensors, ArraysAtOddAddresses) {
  alignas(double) std::array<char, 32> memory{};
  auto *odd = reinterpret_cast<double *>(memory.data() + 1); // never read
  EXPECT_THROWN("the address of array `val` isn't a multiple of 8",
                Tensor::over("dense", {3}, {{"val", unravel::Array(odd, 3)}}));
}

/// A kernel says why no result has that shape, where the caller gives none.
TEST(Tensors, ResultsThatCannotBe) {
  unravel::Options options = portable();
  for (const char *layout : {"packed_lower", "symmetric_csr", "ell", "csr"}) {
    SCOPED_TRACE(layout);
    options.formats = {{"C", layout}};
    const Tensor A = Tensor::zeros("dense", {5, 6});
    if (std::string(layout) == "csr" || std::string(layout) == "ell")
      EXPECT_EQ(unravel::evaluate("C(i,j) = A(i,j)", {{"A", A}}, options).shape(), A.shape());
    else
      EXPECT_THROWN("whose extents `N` are equal, but the tensor is 5 x 6",
                    unravel::evaluate("C(i,j) = A(i,j)", {{"A", A}}, options));
  }
  options.formats = {{"A", "csr"}, {"C", "csr"}};
  const unravel::Kernel kernel = unravel::make_kernel(
      "tensor A(n,n), C(n,n); size k; for i in [k, n) { for j in [0, n) { C(i,j) = 2*A(i,j); } }", options);
  EXPECT_THROWN("[outside-extent]", kernel({{"A", Tensor::zeros("csr", {4, 4})}, {"k", -1}}));
}

TEST(Tensors, CountsComeFromLengths) {
  Integers row = {0, 0, 2}, col = {0, 2, 1};
  Doubles val = {1, 2, 3};
  const Tensor A = Tensor::over("coo", {3, 3}, {{"row", row}, {"col", col}, {"val", val}});
  EXPECT_EQ(A.numbers().at("NNZ"), 3);
  EXPECT_EQ(A.to_dense(), sparse_dense);
  Integers off = {0, 2};
  Doubles diagonals = {1, 0, 0, 2, 0, 0};
  const Tensor D = Tensor::over("dia", {3, 3}, {{"off", off}, {"val", diagonals}});
  EXPECT_EQ(D.numbers().at("ND"), 2);
}

TEST(Tensors, PackConvertAndBack) {
  for (const char *layout : {"csr", "csc", "coo", "dcsr", "ell", "bcsr<2,2>", "dense", "dense<1,0>"}) {
    const Tensor packed = Tensor::pack(layout, sparse);
    EXPECT_EQ(packed.to_dense(), sparse_dense) << layout;
    EXPECT_EQ(packed.to("csr").to_dense(), sparse_dense) << layout;
    EXPECT_EQ(packed.to("csc").to_dense(), sparse_dense) << layout;
  }
  const Tensor wide = Tensor::pack("csr", sparse, unravel::ValueType::Float32, unravel::IndexType::Int64);
  EXPECT_EQ(wide.elements<std::int64_t>("col").size(), 3u);
  EXPECT_EQ(wide.elements<float>("val")[1], 2.0f);
  EXPECT_EQ(wide.to("csc").elements<std::int64_t>("row").size(), 3u);
  EXPECT_EQ(wide.to("csc").elements<float>("val").size(), 3u);
  EXPECT_EQ(Tensor::pack("csr int32", sparse).elements<std::int32_t>("val")[2], 3);
  const Coordinates back = Tensor::pack("coo", sparse).coordinates();
  EXPECT_EQ(back.indices, sparse.indices);
  EXPECT_EQ(back.values, sparse.values);
  EXPECT_THROWN("entry 1 has the index 3 in mode 1, whose extent is 3",
                Tensor::pack("csr", {{3, 3}, {{0, 1}, {0, 3}}, {1, 2}}));
  EXPECT_THROWN("there are 2 values, but 1 indices", Tensor::pack("csr", {{3, 3}, {{0}, {0}}, {1, 2}}));
  EXPECT_EQ(Tensor::scalar(4.5).value(), 4.5);
  EXPECT_THROWN("the handle is empty", Tensor().shape());
}

TEST(Tensors, EntriesOfOneCoordinateAreCombined) {
  const Coordinates entries{{2, 3}, {{1, 0, 1, 1}, {2, 0, 2, 2}}, {5, 4, -3, 7}};
  const auto combined = [&](const std::string &layout, const std::string &combine) {
    return Tensor::pack(layout, entries, unravel::ValueType::Float64, unravel::IndexType::Int32, combine)
        .coordinates()
        .values;
  };
  EXPECT_EQ(combined("csr", ""), (std::vector<double>{4, 9}));
  EXPECT_EQ(combined("csr", "min"), (std::vector<double>{4, -3}));
  EXPECT_EQ(combined("coo_dup", "max"), (std::vector<double>{4, 7}));
  EXPECT_EQ(combined("csr", "first"), (std::vector<double>{4, 5}));
  EXPECT_EQ(combined("coo_dup int32", "+"), (std::vector<double>{4, 9}));
  EXPECT_THROWN("`combine mim`: `mim` is not an operator", combined("csr", "mim"));
  EXPECT_THROWN("not an operator of two arguments", combined("csr", "sqrt"));
  EXPECT_THROWN("`min` is not defined for complex numbers", combined("csr complex128", "min"));
  const std::string path = testing::TempDir() + "combined.mtx";
  std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 5\n1 2 3\n";
  EXPECT_EQ(Tensor::read(path, "csr", std::nullopt, "second").coordinates().values, std::vector<double>{3});
  EXPECT_EQ(Tensor::read(path, "csr").coordinates().values, std::vector<double>{8});
}

TEST(Tensors, LayoutsFromTextAndFiles) {
  const std::string text = "layout mine(i: M) { index at[K]; count K; value num[K];\n"
                           "  stored { [p] -> [i] : 0 <= p < K and i = at(p) } at num(p);\n"
                           "  property range at in [0, M); property strictly increasing at; }\n";
  Integers at = {1, 3};
  Doubles num = {5, 6};
  const Tensor x = Tensor::over(text, {4}, {{"at", at}, {"num", num}});
  EXPECT_EQ(x.to_dense(), (Doubles{0, 5, 0, 6}));
  const std::string file = testing::TempDir() + "unravel_" + std::to_string(getpid()) + ".layout";
  std::ofstream(file) << text
                      << "layout mine2(i: M) { value val[M]; stored { [a] -> [i] : i = a and 0 <= a < M } at "
                         "val(a); }\n";
  const Tensor same = Tensor::over(file + ":mine", {4}, {{"at", at}, {"num", num}});
  std::filesystem::remove(file); // it was read
  for (const Tensor &each : {x, same})
    EXPECT_EQ(unravel::evaluate("y(i) = 2 * x(i)", {{"x", each}}, portable()).to_dense(),
              (Doubles{0, 10, 0, 12}));
  const Tensor blocks =
      Tensor::pack("layout twos<R>(i: M) { value val[ceil(M / R), R]; stored { [b, r] -> [i] : 0 "
                   "<= b < ceil(M / R) and 0 <= r < R and i = R*b + r and i < M } at val(b, r); }<2>",
                   {{3}, {{0, 2}}, {1, 2}});
  EXPECT_EQ(blocks.array("val").count(), 4u);
  EXPECT_THROWN("layout:1:", Tensor::zeros("layout mine(i: M) { value val[Q]; }", {4}));
}

TEST(Tensors, FilesAndFolders) {
  const std::string file = testing::TempDir() + "unravel_" + std::to_string(getpid()) + ".mtx";
  std::ofstream(file) << "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n1 3 2\n3 2 3\n";
  EXPECT_EQ(Tensor::read(file, "csr").to_dense(), sparse_dense);
  EXPECT_EQ(Tensor::read(file).layout(), "dense");
  EXPECT_THROWN("of order 2 (3 x 3), but one of order 1 is wanted", Tensor::read(file, "dense", 1));
  std::filesystem::remove(file);
  EXPECT_THROWN("[cannot-read]", Tensor::read(file, "csr"));
  const std::string folder = testing::TempDir() + "unravel_" + std::to_string(getpid()) + "_arrays";
  for (const char *layout : {"csr", "bcsr<2,2>"}) {
    const Tensor written =
        Tensor::pack(layout, sparse, unravel::ValueType::Float32, unravel::IndexType::Int64);
    unravel::data::write_folder(folder, unravel::tensor::to_folder(unravel::Access::state(written).tensor()));
    const Tensor read = Tensor::read(folder);
    EXPECT_EQ(read.layout(), written.layout());
    EXPECT_EQ(read.index_type_of(), unravel::ValueType::Int64);
    EXPECT_EQ(read.value_type_of(), unravel::ValueType::Float32);
    EXPECT_EQ(read.to_dense(), sparse_dense);
    EXPECT_THROWN("and not in `csc`", Tensor::read(folder, "csc"));
    std::filesystem::remove_all(folder);
  }
  using unravel::data::Array;
  unravel::data::ArrayFolder dense{"dense", {}, {{"M", 2}, {"N", 3}}, {}, {}, ""};
  dense.arrays["val"] = Array::of(Doubles{1, 2, 3, 4, 5, 6}); // flat
  unravel::data::write_folder(folder, dense);
  EXPECT_EQ(Tensor::read(folder).to_dense(), (Doubles{1, 2, 3, 4, 5, 6}));
  dense.arrays["val"].shape = {3, 2};
  unravel::data::write_folder(folder, dense);
  EXPECT_THROWN("array `val` has shape [3, 2], but `val[M, N]` is [2, 3] [bad-array-folder]",
                Tensor::read(folder));
  std::filesystem::remove_all(folder);
}

TEST(Calls, PositionsAndNames) {
  Sparse s;
  const Tensor A = s.tensor();
  const Doubles b = {10, 20, 30};
  const Tensor x = Tensor::over("dense", {3}, {{"val", b}});
  Doubles result = {7, 7, 7};
  const Tensor y = Tensor::over("dense", {3}, {{"val", result}});
  const unravel::Kernel kernel = unravel::make_kernel("y(i) = A(i,j) * x(j)", portable({{"A", "csr"}}));
  EXPECT_EQ(kernel.arguments(), (std::vector<std::string>{"y", "A", "x"}));
  EXPECT_EQ(kernel(y, A, x), y);
  EXPECT_EQ(result, (Doubles{70, 0, 60}));
  result.assign(3, 0);
  kernel({{"x", x}, {"y", y}, {"A", A}});
  EXPECT_EQ(result, (Doubles{70, 0, 60}));
  const Tensor made = kernel(A, x);
  EXPECT_FALSE(made == y);
  EXPECT_EQ(made.to_dense(), (Doubles{70, 0, 60}));
  EXPECT_EQ(kernel({{"x", x}, {"A", A}}).to_dense(), (Doubles{70, 0, 60}));
}

TEST(Calls, WrongArgumentsThrow) {
  Sparse s;
  const Tensor A = s.tensor();
  const Tensor x = Tensor::zeros("dense", {3}), y = Tensor::zeros("dense", {3});
  const unravel::Kernel kernel = unravel::make_kernel("y(i) = A(i,j) * x(j)", portable({{"A", "csr"}}));
  EXPECT_THROWN("the kernel is called with 1 argument, but takes 3: `y`, `A`, `x` [wrong-arity]\n  hint: or "
                "without the result: `A`, `x`",
                kernel(y));
  EXPECT_THROWN("the kernel is called with 0 arguments, but takes 3", kernel({}));
  EXPECT_THROWN("the expression has no tensor `B`", kernel({{"B", A}}));
  EXPECT_THROWN("no argument is given for `x` [missing-input]", kernel({{"A", A}}));
  EXPECT_THROWN("`A` is given twice", kernel({{"A", A}, {"A", A}}));
  EXPECT_THROWN("the tensor given for `A` is in layout `csc`, but the kernel is made for `csr`",
                kernel(y, A.to("csc"), x));
  EXPECT_THROWN("the tensor given for `x` has order 2, but `x` has 1 subscript", kernel(y, A, A));
  EXPECT_THROWN("the handle is empty", kernel(y, A, Tensor()));
  unravel::Kernel moved = kernel;
  const unravel::Kernel other = std::move(moved);
  EXPECT_THROWN("assign a kernel to it", moved(x));
  EXPECT_THROWN("assign a kernel to it", moved.arguments());
  const Tensor four = Tensor::zeros("dense", {4});
  EXPECT_THROWN("index `j` has extent 3 in `A(i, j)`, but 4 in `x(j)` [size-mismatch]", kernel(y, A, four));
  EXPECT_THROWN("index `j` has extent 3 in `A(i, j)`, but 4 in `x(j)` [size-mismatch]", kernel(A, four));
  EXPECT_THROWN("index `i` has extent 3 in `A(i, j)`, but 4 in `y(i)` [size-mismatch]", kernel(four, A, x));
  EXPECT_THROWN("`y` and `x` share memory", kernel(x, A, x));
  Doubles memory(5);
  const Tensor low = Tensor::over("dense", {3}, {{"val", unravel::Array(memory.data(), 3)}});
  const Tensor high = Tensor::over("dense", {3}, {{"val", unravel::Array(memory.data() + 2, 3)}});
  EXPECT_THROWN("`y` and `x` share memory", kernel(low, A, high));
  const Doubles constant(3);
  EXPECT_THROWN("the result `y` has const arrays, but the kernel writes to them",
                kernel(Tensor::over("dense", {3}, {{"val", constant}}), A, x));
  EXPECT_THROWN("`x` is a tensor, not a number", kernel(y, A, 2.0));
  EXPECT_THROWN("`A` is over arrays", throw unravel::Error("`A` is over arrays", "x", false));
}

/// Machine code is made for the types of the tensors, whatever the kernel was made for first.
TEST(Calls, TypesAreThoseOfTheTensors) {
  const unravel::Kernel kernel = unravel::make_kernel("y(i) = A(i,j) * x(j)", portable({{"A", "csr"}}));
  const std::vector<float> b = {10, 20, 30};
  for (unravel::IndexType index : {unravel::IndexType::Int32, unravel::IndexType::Int64}) {
    const Tensor A = Tensor::pack("csr", sparse, unravel::ValueType::Float32, index);
    const Tensor y = kernel(A, Tensor::over("dense", {3}, {{"val", b}}));
    EXPECT_EQ(y.value_type_of(), unravel::ValueType::Float32);
    EXPECT_EQ(y.elements<float>("val")[0], 70.0f);
  }
  const Tensor integers = Tensor::pack("csr int32", sparse),
               doubles = Tensor::pack("dense", {{3}, {{0}}, {0.5}});
  EXPECT_EQ(kernel(integers, doubles).value_type_of(), unravel::ValueType::Float64);
  EXPECT_EQ(kernel(integers, doubles).to_dense(), (Doubles{0.5, 0, 0}));
  // Two widths in one kernel.
  const unravel::Kernel sum =
      unravel::make_kernel("C(i,j) = A(i,j) + B(i,j)", portable({{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}));
  const Tensor narrow = Tensor::pack("csr", sparse);
  const Tensor wide = Tensor::pack("csr", sparse, unravel::ValueType::Float64, unravel::IndexType::Int64);
  EXPECT_EQ(sum(narrow, wide).to_dense(), (Doubles{2, 0, 4, 0, 0, 0, 0, 6, 0}));
  EXPECT_EQ(sum(narrow, wide).index_type_of(), unravel::ValueType::Int32);
  EXPECT_EQ(sum(wide, wide).index_type_of(), unravel::ValueType::Int64);
  EXPECT_EQ(sum(wide, narrow).to_dense(), (Doubles{2, 0, 4, 0, 0, 0, 0, 6, 0}));
  // What a format states is kept.
  const unravel::Kernel stated = unravel::make_kernel("y(i) = A(i,j) * x(j)", portable({{"A", "csr f32"}}));
  EXPECT_THROWN("`A`", stated(narrow, doubles));
}

/// Whatever they held before, also where sums are kept in a local tensor first.
TEST(Calls, DenseResultsAreSet) {
  const Tensor A = Tensor::pack("dense<1,0>", {{3, 2}, {{0, 2}, {1, 1}}, {1, 4}}),
               C = Tensor::pack("coo", sparse);
  const Tensor B = Tensor::pack("dense", {{2}, {{0, 1}}, {2, 1}});
  Doubles memory = {100, 100};
  const Tensor y = Tensor::over("dense", {2}, {{"val", memory}});
  const unravel::Kernel kernel =
      unravel::make_kernel("y(i) = A(k,i) * B(j) * C(k,l)", {{"A", A}, {"B", B}, {"C", C}}, portable());
  kernel(y, A, B, C);
  EXPECT_EQ(memory, (Doubles{0, 45}));
}

TEST(Calls, SparseResults) {
  const Tensor A = Tensor::pack("csr", sparse);
  // Assembled.
  const Tensor C =
      unravel::evaluate("C(i,j) = A(i,k) * B(k,j)", {{"A", A}, {"B", A}}, portable({{"C", "csr"}}));
  EXPECT_EQ(C.layout(), "csr");
  EXPECT_EQ(C.to_dense(), (Doubles{1, 6, 2, 0, 0, 0, 0, 0, 0}));
  // Given: it gets other arrays.
  const unravel::Kernel product =
      unravel::make_kernel("C(i,j) = A(i,k) * B(k,j)", {{"A", A}, {"B", A}}, portable({{"C", "csr"}}));
  Tensor given = Tensor::zeros("csr", {3, 3});
  EXPECT_EQ(given.array("val").count(), 0u);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(product(given, A, A), given);
    EXPECT_EQ(given.to_dense(), C.to_dense());
  }
  // What a kernel has made is an operand of another.
  EXPECT_EQ(product(C, A).to_dense(), (Doubles{1, 6, 2, 0, 0, 0, 0, 0, 0}));
  // Packed behind the kernel.
  const Tensor E =
      unravel::evaluate("E(i,j) = A(i,j) + B(i,j)", {{"A", A}, {"B", A}}, portable({{"E", "ell"}}));
  EXPECT_EQ(E.layout(), "ell");
  EXPECT_EQ(E.to_dense(), (Doubles{2, 0, 4, 0, 0, 0, 0, 6, 0}));
  // With an operand's structure: its index arrays are not copied.
  const Tensor U = Tensor::pack("dense", {{3, 2}, {{0, 0, 2}, {0, 1, 1}}, {1, 2, 3}});
  const unravel::Kernel sddmm = unravel::make_kernel(
      "D(i,j) = S(i,j) * U(i,r) * V(j,r)", {{"S", A}, {"U", U}, {"V", U}}, portable({{"D", "like:S"}}));
  const Tensor D = sddmm(A, U, U);
  EXPECT_EQ(D.array("col").data(), A.array("col").data());
  EXPECT_EQ(D.layout(), "csr");
  EXPECT_EQ(D.to_dense(), (Doubles{5, 0, 12, 0, 0, 0, 0, 0, 0}));
  sddmm(D, A, U, U);
  EXPECT_EQ(D.to_dense(), (Doubles{5, 0, 12, 0, 0, 0, 0, 0, 0}));
  const Tensor other = Tensor::pack("csr", {{3, 3}, {{0, 1, 2}, {0, 2, 1}}, {0, 0, 0}});
  EXPECT_THROWN("array `rowptr` of the result `D` differs from that of `S`", sddmm(other, A, U, U));
}

TEST(Calls, ScalarsSizesAndFills) {
  const Tensor A = Tensor::pack("csr", sparse);
  EXPECT_EQ(unravel::evaluate("s = A(i,j) * A(i,j)", {{"A", A}}, portable()).value(), 14);
  const unravel::Kernel scaled = unravel::make_kernel("y(i) = a * x(i)", portable());
  const Tensor x = Tensor::pack("dense", {{2}, {{0, 1}}, {1, 2}});
  EXPECT_EQ(scaled(2.5, x).to_dense(), (Doubles{2.5, 5}));
  EXPECT_EQ(scaled({{"a", 2}, {"x", x}}).to_dense(), (Doubles{2, 4}));
  const unravel::Kernel sized =
      unravel::make_kernel("tensor x(n), y(n); size k; for i in [k,n) { y(i) = x(i); }", portable());
  EXPECT_EQ(sized(x, 1).to_dense(), (Doubles{0, 2}));
  EXPECT_THROWN("`k` is a size, for which an integer below 2^53 is expected", sized(x, x));
  const unravel::Kernel shifted = unravel::make_kernel("y(i) = x(i+1)", portable());
  EXPECT_THROWN("the extent of index `i` is not known", shifted(x));
  EXPECT_EQ(shifted({{"x", x}, {"i", 1}}).to_dense(), (Doubles{2}));
  const unravel::Kernel sum = unravel::make_kernel("y(i) += x(i)", portable());
  const Tensor y = sum(x);
  EXPECT_EQ(sum(y, x).to_dense(), (Doubles{2, 4}));
  const Tensor far = Tensor::pack("csr fill inf", sparse);
  EXPECT_EQ(far.to_dense()[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(unravel::evaluate("d(j) = A(i,j) * x(i) in min.+",
                              {{"A", far}, {"x", Tensor::zeros("dense", {3})}}, portable())
                .to_dense(),
            (Doubles{1, 3, 2}));
}

TEST(Calls, ThreadsFindsAndMessages) {
  unravel::Options options = portable({{"A", "csr"}, {"x", "sv"}});
  options.threads = 2;
  options.finds = {"x=binary"};
  const unravel::Kernel kernel = unravel::make_kernel("y(i) = A(i,j) * x(j)", options);
  const Tensor x = Tensor::pack("sv", {{3}, {{1}}, {20}});
  EXPECT_EQ(kernel(Tensor::pack("csr", sparse), x).to_dense(), (Doubles{0, 0, 60}));
  options.threads = 0;
  EXPECT_THROWN("a kernel can't run on 0 threads", unravel::make_kernel("y(i) = A(i,j) * x(j)", options));
  options.threads = {};
  options.finds = {"x"};
  EXPECT_THROWN("`find x` names no method [bad-option]\n  hint: write find x=binary",
                unravel::make_kernel("y(i) = A(i,j) * x(j)", options));
  options.finds = {"x=bin"};
  EXPECT_THROWN("find:1:3: error: ", unravel::make_kernel("y(i) = A(i,j) * x(j)", options));
  EXPECT_THROWN("`format B=csr`: the expression has no tensor `B`",
                unravel::make_kernel("y(i) = x(i)", portable({{"B", "csr"}})));
  EXPECT_THROWN("format of A:1:1: error: there is no layout `crs`",
                unravel::make_kernel("y(i) = A(i,j) * x(j)", portable({{"A", "crs"}})));
}

/// One kernel, operands that all threads have, types that come to it at once, results apart.
TEST(Calls, InSeveralThreads) {
  const unravel::Kernel kernel =
      unravel::make_kernel("y(i) = A(i,j) * x(j)", portable({{"A", "csr"}, {"x", "sv"}}));
  const Tensor narrow = Tensor::pack("csr", sparse);
  const Tensor wide = Tensor::pack("csr", sparse, unravel::ValueType::Float64, unravel::IndexType::Int64);
  const Tensor x = Tensor::pack("sv", {{3}, {{0, 1}}, {10, 20}});
  std::vector<int> good(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < good.size(); ++t)
    threads.emplace_back([&, t] {
      const Tensor y = Tensor::zeros("dense", {3});
      for (int call = 0; call < 100; ++call) {
        kernel(y, t % 2 == 0 ? narrow : wide, x);
        good[t] += y.to_dense() == Doubles{10, 0, 60};
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 100));
}

/// The kernel for a structure, then values.
TEST(Calls, ReuseAndWavefronts) {
  unravel::Options options = portable({{"A", "csr"}, {"C", "csr"}});
  options.schedules = {"reuse"};
  const unravel::Kernel kernel = unravel::make_kernel("C(i,j) = 2 * A(i,j)", options);
  Sparse s;
  const Tensor A = s.tensor(), C = kernel(A);
  EXPECT_EQ(C.elements<double>("val")[1], 4);
  s.val[1] = 10;
  kernel.values({{"C", C}, {"A", A}});
  EXPECT_EQ(C.elements<double>("val")[1], 20);
  EXPECT_THROWN("no argument is given for `C`", kernel.values({{"A", A}}));

  options = portable({{"L", "csr"}});
  options.schedules = {"wavefront i"};
  const unravel::Kernel solve =
      unravel::make_kernel("tensor L(n,n), b(n), x(n); for i in [0,n) { let s = b(i); for j in [0,i) { s -= "
                           "L(i,j) * x(j); } x(i) = s / L(i,i); "
                           "}",
                           options);
  const Tensor L = Tensor::pack("csr", {{3, 3}, {{0, 1, 1, 2, 2}, {0, 0, 1, 0, 2}}, {1, 1, 2, 3, 4}});
  const Tensor b = Tensor::pack("dense", {{3}, {{0, 1, 2}}, {1, 5, 11}}), x = Tensor::zeros("dense", {3});
  solve.inspect({{"x", x}, {"L", L}, {"b", b}});
  solve({{"x", x}, {"L", L}, {"b", b}});
  EXPECT_EQ(x.to_dense(), (Doubles{1, 2, 2}));
}

/// A kept kernel's call costs less than a microsecond besides its work. (Without a parallel loop: what
/// OpenMP's runtime takes for one is the kernel's.)
TEST(Calls, CostLittle) {
  unravel::Options options = portable({{"A", "csr"}});
  options.schedules = {"serial"};
  const unravel::Kernel kernel = unravel::make_kernel("y(i) = A(i,j) * x(j)", options);
  const Tensor A = Tensor::pack("csr", {{1, 1}, {{0}, {0}}, {1}}), x = Tensor::zeros("dense", {1}),
               y = Tensor::zeros("dense", {1});
  double least = 1e9;
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < 10000; ++call)
      kernel(y, A, x);
    least = std::min(
        least,
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / 10000);
  }
  RecordProperty("microseconds", std::to_string(least));
  EXPECT_LT(least, 1);
}

} // namespace
