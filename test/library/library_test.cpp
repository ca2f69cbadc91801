// The public interface, as a program sees it.
#include "unravel/unravel.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {

/// The structs of a kernel's header, as the library promises them: sizes, counts, arrays.
struct Csr {
  std::int64_t M, N, NNZ;
  std::int32_t *rowptr, *col;
  double *val;
};
struct Vector {
  std::int64_t M;
  double *val;
};

unravel::Options csr_options() {
  unravel::Options options;
  options.machine = "portable";
  options.formats = {{"A", "csr"}};
  options.name = "spmv";
  return options;
}

TEST(Library, KernelRuns) {
  unravel::Kernel kernel = unravel::make_kernel("y(i) = A(i,j) * x(j)", csr_options());
  std::int32_t rowptr[] = {0, 2, 2, 3}, col[] = {0, 2, 1};
  double val[] = {1, 2, 3}, x_val[] = {10, 20, 30}, y_val[] = {7, 7, 7};
  Csr A = {3, 3, 3, rowptr, col, val};
  Vector x = {3, x_val}, y = {3, y_val};
  kernel.set_threads(2);
  EXPECT_EQ(kernel({&y, &A, &x}), 0);
  EXPECT_EQ(y_val[0], 70);
  EXPECT_EQ(y_val[1], 0);
  EXPECT_EQ(y_val[2], 60);
  x.M = 2; // sizes that disagree
  EXPECT_EQ(kernel({&y, &A, &x}), 1);
}

/// The message that is thrown.
template <class Work> std::string thrown(Work work) {
  try {
    work();
  } catch (const unravel::Error &error) {
    EXPECT_FALSE(error.is_bug());
    return error.what();
  }
  return "nothing";
}

TEST(Library, CallsWithWrongArgumentsThrow) {
  unravel::Kernel kernel = unravel::make_kernel("y(i) = A(i,j) * x(j)", csr_options());
  Csr A = {};
  Vector x = {}, y = {};
  EXPECT_EQ(thrown([&] { kernel({}); }), "error: the kernel is called with 0 arguments, but takes 3: `y`, "
                                         "`A`, `x` [wrong-arity]\n");
  EXPECT_EQ(thrown([&] { kernel({&y}); }), "error: the kernel is called with 1 argument, but takes 3: `y`, "
                                           "`A`, `x` [wrong-arity]\n");
  EXPECT_NE(thrown([&] { kernel({&y, &A, &x, &x}); }).find("with 4 arguments"), std::string::npos);
  EXPECT_NE(thrown([&] { kernel.inspect({&y, &A}); }).find("with 2 arguments"), std::string::npos);
  EXPECT_EQ(thrown([&] {
              kernel({&y, nullptr, &x});
            }),
            "error: the kernel is called with a null pointer for `A` [missing-input]\n");
  for (int threads : {0, -1})
    EXPECT_EQ(thrown([&] { kernel.set_threads(threads); }),
              "error: a kernel can't run on " + std::to_string(threads) +
                  " threads: it takes at least one [bad-option]\n");
  // A size that no tensor has is an argument too.
  unravel::Options options;
  options.machine = "portable";
  unravel::Kernel sized =
      unravel::make_kernel("tensor x(n), y(n); size k; for i in [k,n) { y(i) = x(i); }", options);
  EXPECT_NE(thrown([&] { sized({&y, &x}); }).find("but takes 3: `y`, `x`, `k`"), std::string::npos);
}

TEST(Library, KernelsRunInSeveralThreadsAtOnce) {
  unravel::Options options = csr_options();
  options.formats["x"] = "sv";
  unravel::Kernel kernel = unravel::make_kernel("y(i) = A(i,j) * x(j)", options);
  std::vector<int> good(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < good.size(); ++t)
    threads.emplace_back([&, t] {
      std::int32_t rowptr[] = {0, 2, 2, 3}, col[] = {0, 2, 1}, idx[] = {0, 1};
      double number = static_cast<double>(t), val[] = {1, 2, 3}, x_val[] = {10, number}, y_val[] = {7, 7, 7};
      Csr A = {3, 3, 3, rowptr, col, val};
      struct {
        std::int64_t M, NNZ;
        std::int32_t *idx;
        double *val;
      } x = {3, 2, idx, x_val};
      Vector y = {3, y_val};
      kernel.set_threads(1);
      for (int call = 0; call < 200; ++call)
        good[t] += kernel({&y, &A, &x}) == 0 && y_val[0] == 10 && y_val[1] == 0 && y_val[2] == 3 * number;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 200));
}

/// The structure by the first call, then other values.
TEST(Library, StructureAndValuesApart) {
  unravel::Options options = csr_options();
  options.formats["C"] = "csr";
  options.schedules = {"reuse"};
  const unravel::Kernel kernel = unravel::make_kernel("C(i,j) = 2 * A(i,j)", options);
  std::int32_t rowptr[] = {0, 2, 2, 3}, col[] = {0, 2, 1};
  double val[] = {1, 2, 3};
  Csr A = {3, 3, 3, rowptr, col, val}, C = {3, 3, -1, nullptr, nullptr, nullptr};
  ASSERT_EQ(kernel({&C, &A}), 0);
  ASSERT_EQ(C.NNZ, 3);
  EXPECT_EQ(std::vector<std::int32_t>(C.col, C.col + 3), (std::vector<std::int32_t>{0, 2, 1}));
  EXPECT_EQ(std::vector<double>(C.val, C.val + 3), (std::vector<double>{2, 4, 6}));
  val[1] = 10;
  ASSERT_EQ(kernel.values({&C, &A}), 0);
  EXPECT_EQ(std::vector<double>(C.val, C.val + 3), (std::vector<double>{2, 20, 6}));
  std::free(C.rowptr);
  std::free(C.col);
  std::free(C.val);

  const unravel::CSource source = unravel::make_c("C(i,j) = 2 * A(i,j)", options);
  EXPECT_NE(source.header.find("int spmv_structure(csr *C, const csr *A"), std::string::npos)
      << source.header;
  EXPECT_NE(source.header.find("int spmv_values(csr *C, const csr *A"), std::string::npos) << source.header;

  options.schedules.clear();
  const unravel::Kernel whole = unravel::make_kernel("C(i,j) = 2 * A(i,j)", options);
  EXPECT_NE(thrown([&] {
              whole.values({&C, &A});
            }).find("make the kernel with the schedule `reuse`"),
            std::string::npos);
}

/// A kernel takes its tensors as they are; C that is written out has a function that converts.
TEST(Library, ConversionsOfOperands) {
  unravel::Options options = csr_options();
  options.schedules = {"convert A to csc"};
  const std::string line = "y(i) = A(i,j) * x(j)";
  EXPECT_NE(thrown([&] {
              unravel::make_kernel(line, options);
            }).find("convert the tensor once, and make the kernel for the layout that it has then"),
            std::string::npos);
  const unravel::CSource source = unravel::make_c(line, options);
  EXPECT_NE(source.header.find("int spmv_converts_A(csc *A, const csr *A_given"), std::string::npos)
      << source.header;
  EXPECT_NE(source.header.find("int spmv(dense_vector *y, const csc *A, "), std::string::npos)
      << source.header;
  options.formats["Y"] = "ell";
  EXPECT_NE(thrown([&] {
              unravel::make_c("Y(i,j) = A(i,j) * x(j)", options);
            }).find("the function around the kernel packs, but doesn't convert"),
            std::string::npos);
}

TEST(Library, NamesInEmittedC) {
  unravel::Options options = csr_options();
  options.prefix = "my_";
  options.const_operands = true;
  const unravel::CSource source = unravel::make_c("y(i) = A(i,j) * x(j)", options);
  EXPECT_EQ(source.function, "my_spmv");
  EXPECT_NE(source.header.find(
                "int my_spmv(my_dense_vector *y, const my_const_csr *A, const my_const_dense_vector *x)"),
            std::string::npos)
      << source.header;
  EXPECT_NE(source.header.find("const double *val;"), std::string::npos) << source.header;
  options.prefix = "my-";
  EXPECT_NE(
      thrown([&] { unravel::make_c("y(i) = A(i,j) * x(j)", options); }).find("no name can begin with `my-`"),
      std::string::npos);
}

/// The kernel lists what the call packs: rows of two slots, side by side.
TEST(Library, ResultsThatArePacked) {
  struct Ell {
    std::int64_t M, N, W;
    std::int32_t *col;
    double *val;
  };
  unravel::Options options = csr_options();
  options.formats["C"] = "ell";
  unravel::Kernel kernel = unravel::make_kernel("C(i,j) = 2 * A(i,j)", options);
  std::int32_t rowptr[] = {0, 2, 2, 3}, col[] = {0, 2, 1};
  double val[] = {1, 2, 3};
  Csr A = {3, 3, 3, rowptr, col, val};
  for (int call = 0; call < 2; ++call) {
    Ell C = {3, 3, -1, nullptr, nullptr};
    ASSERT_EQ(kernel({&C, &A}), 0);
    ASSERT_EQ(C.W, 2);
    EXPECT_EQ(std::vector<std::int32_t>(C.col, C.col + 6), (std::vector<std::int32_t>{0, -1, 1, 2, -1, -1}));
    EXPECT_EQ(std::vector<double>(C.val, C.val + 6), (std::vector<double>{2, 0, 6, 4, 0, 0}));
    std::free(C.col);
    std::free(C.val);
  }
  Ell other = {3, 4, -1, nullptr, nullptr};
  EXPECT_EQ(kernel({&other, &A}), 1);
  EXPECT_EQ(other.W, -1);

  options.formats["C"] = "packed_upper";
  struct Packed {
    std::int64_t N, NV;
    std::int32_t *rowptr;
    double *val;
  } upper = {3, -1, nullptr, nullptr};
  unravel::Kernel triangle = unravel::make_kernel("C(i,j) = 2 * A(i,j)", options);
  EXPECT_THROW(triangle({&upper, &A}), unravel::Error); // (2, 1) lies below the diagonal
  EXPECT_EQ(upper.val, nullptr);

  options.formats["C"] = "ell";
  const unravel::CSource source = unravel::make_c("C(i,j) = 2 * A(i,j)", options);
  EXPECT_NE(source.header.find("int spmv(ell *C, const csr *A);"), std::string::npos) << source.header;
  EXPECT_NE(source.source.find("#include \"spmv.h\""), std::string::npos);
}

/// In order, then inspected, then for another size. Packed levels have copies of L's entries.
void expect_solved(const std::string &schedule) {
  SCOPED_TRACE(schedule);
  unravel::Options options;
  options.machine = "portable";
  options.formats = {{"L", "csr"}};
  options.schedules = {schedule};
  const char *solve = "tensor L(n,n), b(n), x(n); for i in [0,n) { let s = b(i); "
                      "for j in [0,i) { s -= L(i,j)*x(j); } x(i) = s / L(i,i); }";
  unravel::Kernel kernel = unravel::make_kernel(solve, options);
  // Two levels with so much to do that they are executed as such: the second half reads much of the first.
  constexpr int half = 400, n = 2 * half, read = 300;
  std::vector<std::int32_t> rowptr{0}, col;
  std::vector<double> val, b(n, 6), x(n, -1), expected;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; i >= half && j < read; ++j)
      col.push_back(j), val.push_back(0.25);
    col.push_back(i), val.push_back(2);
    rowptr.push_back(static_cast<std::int32_t>(col.size()));
    expected.push_back(i < half ? 3 : (6 - read * 0.25 * 3) / 2);
  }
  Csr L = {n, n, static_cast<std::int64_t>(col.size()), rowptr.data(), col.data(), val.data()};
  Vector rhs = {n, b.data()}, solution = {n, x.data()};
  kernel.set_threads(2);
  for (int inspected : {0, 1}) {
    if (inspected) {
      EXPECT_EQ(kernel.inspect({&solution, &L, &rhs}), 0);
    }
    x.assign(n, -1);
    EXPECT_EQ(kernel({&solution, &L, &rhs}), 0);
    EXPECT_EQ(x, expected);
  }
  // Another size: sequential until it is inspected.
  L.M = L.N = rhs.M = solution.M = half;
  EXPECT_EQ(kernel({&solution, &L, &rhs}), 1); // as many entries as before
  L.NNZ = rowptr[half];
  x.assign(n, -1);
  EXPECT_EQ(kernel({&solution, &L, &rhs}), 0);
  EXPECT_EQ(x[half - 1], 3);
  EXPECT_EQ(x[half], -1);
  rhs.M = n;
  EXPECT_EQ(kernel({&solution, &L, &rhs}), 1);
  unravel::CSource c = unravel::make_c(solve, options);
  EXPECT_NE(c.source.find("int kernel_inspect("), std::string::npos);
  EXPECT_NE(c.header.find("int kernel_inspect("), std::string::npos);
}

TEST(Library, WavefrontsOfASolve) {
  expect_solved("wavefront i");
  expect_solved("wavefront i packed");
}

/// They come behind the structs, also of a kernel with levels.
TEST(Library, SizesThatNoTensorHas) {
  const char *solve = "tensor L(n,n), b(n), x(n); size k; for i in [0,n) { let s = b(i); "
                      "for j in [i-k,i) { if j >= 0 { s -= L(i,j)*x(j); } } x(i) = s / L(i,i); }";
  unravel::Options options;
  options.machine = "portable";
  options.formats = {{"L", "csr"}};
  for (const char *schedule : {"serial", "wavefront i", "wavefront i packed"}) {
    SCOPED_TRACE(schedule);
    options.schedules = {schedule};
    unravel::Kernel kernel = unravel::make_kernel(solve, options);
    std::int32_t rowptr[] = {0, 1, 3, 6}, col[] = {0, 0, 1, 0, 1, 2};
    double val[] = {1, 1, 1, 1, 1, 1}, b_val[] = {1, 10, 100}, x_val[] = {0, 0, 0};
    Csr L = {3, 3, 6, rowptr, col, val};
    Vector b = {3, b_val}, x = {3, x_val};
    std::int64_t k = 1;
    EXPECT_EQ(kernel({&x, &L, &b, &k}), 0);
    EXPECT_EQ(std::vector<double>(x_val, x_val + 3), (std::vector<double>{1, 9, 91}));
    k = 2;
    EXPECT_EQ(kernel.inspect({&x, &L, &b, &k}), 0);
    EXPECT_EQ(kernel({&x, &L, &b, &k}), 0);
    EXPECT_EQ(std::vector<double>(x_val, x_val + 3), (std::vector<double>{1, 9, 90}));
    k = -1;
    EXPECT_EQ(kernel({&x, &L, &b, &k}), 0);
    EXPECT_EQ(std::vector<double>(x_val, x_val + 3), (std::vector<double>{1, 10, 100}));
    EXPECT_NE(unravel::make_c(solve, options).header.find("int64_t k"), std::string::npos);
  }
}

TEST(Library, ResultsWithAnOperandsStructure) {
  unravel::Options options;
  options.machine = "portable";
  options.formats = {{"S", "csr"}, {"D", "like:S"}};
  unravel::Kernel scale = unravel::make_kernel("D(i,j) = S(i,j) * x(j)", options);
  std::int32_t rowptr[] = {0, 2, 3}, col[] = {0, 2, 1};
  double val[] = {2, 4, -1}, x_val[] = {1, 10, 100}, d_val[] = {7, 7, 7};
  Csr S = {2, 3, 3, rowptr, col, val}, D = {2, 3, 3, nullptr, nullptr, d_val};
  Vector x = {3, x_val};
  EXPECT_EQ(scale({&D, &S, &x}), 0);
  EXPECT_EQ(std::vector<double>(d_val, d_val + 3), (std::vector<double>{2, 400, -10}));
  D.NNZ = 2;
  EXPECT_EQ(scale({&D, &S, &x}), 1);
}

TEST(Library, CTextIsNamed) {
  unravel::CSource c = unravel::make_c("y(i) = A(i,j) * x(j)", csr_options());
  EXPECT_EQ(c.function, "spmv");
  EXPECT_NE(c.source.find("#include \"spmv.h\""), std::string::npos);
  EXPECT_NE(c.header.find("int spmv("), std::string::npos);
}

TEST(Library, ErrorsHaveKinds) {
  try {
    unravel::make_c("y(i) = A(i,j) * x(j)", {{{"A", "csrr"}}, {}, "kernel"});
    FAIL() << "nothing was thrown";
  } catch (const unravel::Error &error) {
    EXPECT_EQ(error.kind(), "unknown-layout");
    EXPECT_FALSE(error.is_bug());
    EXPECT_NE(std::string(error.what()).find("did you mean"), std::string::npos) << error.what();
  }
}

/// Nobody looks at the data that a kernel is called with.
TEST(Library, AccessesThatArentProvedAreRefused) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "unravel_library_test.layout";
  std::ofstream(file) << "layout ahead(i: M) { index idx[K]; count K; value val[K];\n"
                         "  stored { [p] -> [i] : 0 <= p < K and i = idx(p + 1) } at val(p);\n"
                         "  property range idx in [0, M); }\n";
  unravel::Options options;
  options.machine = "portable";
  options.formats = {{"x", file.string()}};
  EXPECT_NE(thrown([&] { unravel::make_c("y(i) = x(i)", options); }).find("[argument-range]"),
            std::string::npos);
  EXPECT_NE(thrown([&] { unravel::make_kernel("y(i) = x(i)", options); }).find("[argument-range]"),
            std::string::npos);
  options.trust = true;
  EXPECT_NE(unravel::make_c("y(i) = x(i)", options).source.find("int kernel("), std::string::npos);
  std::filesystem::remove(file);
}

TEST(Library, HasAVersion) {
  EXPECT_EQ(unravel::version(), "0.1.0");
}

} // namespace
