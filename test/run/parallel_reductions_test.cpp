// Reductions by every operator in every form of parallel loop: interpreted, where iterations that race are
// told, and as C with several threads; of every type in types_test.cpp.
#include "emit/emit.h"
#include "run/parallel_reductions.h"
#include "run/session.h"
#include "run/sweep.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <unistd.h>

namespace unravel::run::test {

namespace {

/// A program that calls the kernel `k` on four threads.
std::string calling(const std::string &c_text) {
  const bool works = c_text.find("k_workspace") != std::string::npos;
  return c_text + R"(
enum { M = 3000, N = 500 };
static int32_t rowptr[M + 1], col[8 * M];
static double val[8 * M], x_val[M], y_val[N];
int main(void) {
  csr A = {M, N, 8 * M, rowptr, col, val};
  dense_vector x = {M, x_val}, y = {N, y_val};
  for (int p = 0; p < 8 * M; p++) col[p] = p * 7919 % N, val[p] = p % 97;
  for (int i = 0; i < M; i++) rowptr[i + 1] = 8 * (i + 1), x_val[i] = i % 101;
)" +
         (works ? "  k_workspace work;\n  k_workspace_init(&work);\n  if (k(&y, &A, &x, &work)) return 1;\n"
                  "  k_workspace_free(&work);\n"
                : "  if (k(&y, &A, &x)) return 1;\n") +
         "  return 0;\n}\n";
}

} // namespace

/// LLVM's library of OpenMP tells the sanitizer what waits for what.
TEST(ParallelReductions, have_no_races_for_the_sanitizer) {
  const std::string tells = "/usr/lib/llvm-19/lib/libarcher.so";
  if (!std::filesystem::exists(tells) || std::system("command -v clang-19 > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "clang-19 with its library of OpenMP isn't installed";
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("unravel-races-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "k.c").string(), program = (folder / "k").string();
  const auto exit_code = [&](const std::string &text) {
    std::ofstream(file) << text;
    const std::string compile =
        "clang-19 -O1 -g1 -fopenmp -fsanitize=thread " + file + " -o " + program + " > /dev/null 2>&1";
    EXPECT_EQ(std::system(compile.c_str()), 0) << text;
    const std::string run = "env OMP_NUM_THREADS=4 OMP_TOOL_LIBRARIES=" + tells +
                            " TSAN_OPTIONS=ignore_noninstrumented_modules=1 " + program + " > /dev/null 2>&1";
    return std::system(run.c_str());
  };
  std::string atomic;
  for (const char *semiring : {"min.+", "*.pair", "or.and", "lower.+"})
    for (const char *how : {"private", "atomic"}) {
      Problem problem{own_reductions + "y(j) = A(i,j) * x(i) in " + semiring,
                      {{"A", "csr"}},
                      {std::string("parallel i static; chunk 8; reduce y by ") + how},
                      {}};
      problem.name = "k";
      SCOPED_TRACE(problem.text());
      const std::string text = calling(emit::emit_c(pipeline::compile(problem.request()).program));
      EXPECT_EQ(exit_code(text), 0) << text;
      if (semiring == std::string("min.+")) atomic = text;
    }
  // and it would tell: the same without atomic operations
  EXPECT_NE(exit_code("#define UNRAVEL_ATOMICALLY(type, by, to, value) (to) = by((to), (value))\n" + atomic),
            0);
  std::filesystem::remove_all(folder);
}

TEST(ParallelReductions, on_small_inputs_in_any_order) {
  std::mt19937_64 random(61);
  std::size_t runs = 0, refused = 0;
  for (const std::string &semiring : reducing_semirings)
    for (Problem problem : parallel_reductions(semiring)) {
      SCOPED_TRACE(problem.text());
      if (!problem.schedules.empty()) problem.schedules.push_back("chunk 1");
      try {
        ASSERT_TRUE(check_on_small_inputs(Interpreted(problem), 3, true, random, runs));
      } catch (const report::Error &error) {
        EXPECT_EQ(error.diagnostic().kind, report::Kind::not_parallel) << error.what();
        ++refused;
      }
    }
  std::cout << runs << " runs\n";
  EXPECT_EQ(refused, 0u);
}

TEST(ParallelReductions, as_c_on_one_to_three_threads) {
  std::mt19937_64 random(62);
  std::size_t calls = 0, number = 0;
  for (const std::string &semiring : reducing_semirings)
    for (Problem problem : parallel_reductions(semiring)) {
      problem.index = ++number % 2 ? loop::ElementType::Int32 : loop::ElementType::Int64;
      if (problem.schedules.empty() || (number % 4 != 0 && !take_all())) continue;
      problem.schedules.push_back("chunk 2");
      calls += check_as_c({problem}, {1, 2, 3}, random);
      if (::testing::Test::HasFailure()) return;
    }
  std::cout << calls << " calls\n";
  EXPECT_GT(calls, 500u);
}

} // namespace unravel::run::test
