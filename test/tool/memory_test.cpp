// Peak memory of kernels that assemble: what they allocate, counted by their own C text. Beside the result
// and what the workspace keeps there is room for the result to grow, and with threads its parts.
#include "tool/tool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iostream>
#include <sstream>

namespace unravel::tool::test {
namespace {

/// WORK declares a workspace, MAKE calls the kernel; it prints how many bytes are there at most, and behind
/// the call: the result's and the others, which the workspace keeps.
const std::string harness = R"(#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int64_t living, peak;
static void note(int64_t bytes) {
#pragma omp critical
  {
    living += bytes;
    if (living > peak) peak = living;
  }
}
static void *counted_realloc(void *memory, size_t size) {
  int64_t *old = memory ? (int64_t *)memory - 2 : 0, before = old ? *old : 0;
  const char *most = getenv("MOST");
  if (most && living + (int64_t)size - before > atoll(most)) return 0;
  int64_t *made = (int64_t *)realloc(old, size + 16);
  if (!made) return 0;
  *made = (int64_t)size;
  note((int64_t)size - before);
  return made + 2;
}
static void *counted_malloc(size_t size) { return counted_realloc(0, size); }
static void *counted_calloc(size_t count, size_t size) {
  void *made = counted_malloc(count * size);
  if (made) memset(made, 0, count * size);
  return made;
}
static void counted_free(void *memory) {
  if (!memory) return;
  note(-((int64_t *)memory)[-2]);
  free((int64_t *)memory - 2);
}
#define malloc counted_malloc
#define calloc counted_calloc
#define realloc counted_realloc
#define free counted_free
#include "kernel.c"
#undef malloc
#undef calloc
#undef realloc
#undef free
enum { rows = 20000, each = 16, entries = rows * each };
static int32_t rowptr[rows + 1], col[entries], rowptr_2[rows + 1], col_2[entries];
static double val[entries];
static void fill(int32_t *ptr, int32_t *column, uint32_t seed) {
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < each; k++) {
      seed = seed * 1664525u + 1013904223u;
      column[ptr[i] + k] = k * (rows / each) + (int32_t)(seed >> 8) % (rows / each);
      ptr[i + 1] = ptr[i] + k + 1;
    }
}
int main(void) {
  fill(rowptr, col, 1), fill(rowptr_2, col_2, 2);
  for (int e = 0; e < entries; e++) val[e] = e + 1;
  csr A = {rows, rows, entries, rowptr, col, val}, B = {rows, rows, entries, rowptr_2, col_2, val};
  csr C = {rows, rows, 0, 0, 0, 0};
  WORK
  (void)B;
  if (MAKE != 0) return 1;
  const long long result = (long long)(4 * (rows + 1) + 12 * (int64_t)C.NNZ);
  printf("%lld %lld %lld\n", result, (long long)living - result, (long long)peak);
  return 0;
}
)";

struct Bytes {
  double result = 0, kept = 0, peak = 0;
};

/// `most`: there is memory for no more bytes.
Bytes bytes_of(const Desk &desk, const std::string &line, const std::string &threads,
               const std::string &most = "1000000000000") {
  const bool has_second = line.find("B(") != std::string::npos;
  std::vector<std::string> command = {"compile", line,     "-f",     "A=csr", "-f",
                                      "C=csr",   "--name", "kernel", "-o",    "kernel.c"};
  if (has_second) command.insert(command.end(), {"-f", "B=csr"});
  const Outcome made = desk.unravel(command);
  EXPECT_EQ(made.code, 0) << made.error;
  const bool works = desk.read("kernel.h").find("kernel_workspace_init") != std::string::npos;
  const std::string operands = has_second ? "&C, &A, &B" : "&C, &A";
  desk.write("main.c", fmt::format("#define WORK {}\n#define MAKE {}kernel({}{})\n",
                                   works ? "kernel_workspace work; kernel_workspace_init(&work);" : "", "",
                                   operands, works ? ", &work" : "") +
                           harness);
  const Outcome compiled =
      desk.execute({"gcc", "-std=c99", "-O1", "-fopenmp", "main.c", "-o", "program", "-lm"});
  EXPECT_EQ(compiled.code, 0) << compiled.error;
  const Outcome ran = desk.execute({"env", "OMP_NUM_THREADS=" + threads, "MOST=" + most, "./program"});
  EXPECT_EQ(ran.code, 0) << ran.error;
  Bytes bytes;
  std::istringstream(ran.out) >> bytes.result >> bytes.kept >> bytes.peak;
  return bytes;
}

} // namespace

TEST(ToolMemory, WhatAssemblingTakes) {
  if (Desk().execute({"sh", "-c", "command -v gcc"}).code != 0)
    GTEST_SKIP() << "the program gcc is not installed";
  const Desk desk;
  constexpr double rows = 20000, entries = 16 * rows;
  // How often the result may be there: a thread alone has room for twice as much as it expects, of which it
  // never writes the rest. Of several, thread 0 has that for all of them, which becomes the result, and
  // another one, which may come to make nearly all, twice its part; a short result is less than one step of
  // their rooms. What is dealt is as long as it is from the beginning.
  struct Case {
    std::string line;
    double on_one, on_two;
    double per_row = 0,
           per_entry = 0; // bytes that a thread's workspace keeps: of each row, of each list's entry
  };
  for (const Case &each :
       {Case{"C(i,j) = A(i,k) * B(k,j)", 2.2, 4.2, 21.1}, Case{"C(i,j) = A(i,j) + B(i,j)", 2.2, 4.2},
        Case{"C(i,j) = A(i,j) * B(i,j)", 2.2, 4.5, 8}, Case{"C(i,j) = A(j,i)", 1.01, 1.01, 4},
        Case{"C(i,j) = A(i,j) + B(j,i)", 1.01, 1.01, 8, 2 * 32}})
    for (const int threads : {1, 2}) {
      const Bytes bytes = bytes_of(desk, each.line, std::to_string(threads));
      ASSERT_GT(bytes.result, 0) << each.line;
      const double times = (bytes.peak - bytes.kept) / bytes.result;
      std::cout << fmt::format(
          "{}, {} threads: result {:.2f} MB, kept {:.2f} MB, at most {:.2f} MB: {:.2f} results\n", each.line,
          threads, bytes.result / 1e6, bytes.kept / 1e6, bytes.peak / 1e6, times);
      EXPECT_LE(times, threads == 1 ? each.on_one : each.on_two) << each.line;
      EXPECT_LE(bytes.kept, 1000 + threads * each.per_row * rows + each.per_entry * entries) << each.line;
    }
}

// What a kernel expects to need was asked for once, and memory said to have run out.
TEST(ToolMemory, ForLessThanIsExpectedIsEnough) {
  if (Desk().execute({"sh", "-c", "command -v gcc"}).code != 0)
    GTEST_SKIP() << "the program gcc is not installed";
  const Desk desk;
  const std::string line = "C(i,j) = A(i,k) * B(k,j)";
  const Bytes free = bytes_of(desk, line, "1");
  const double most = (free.kept + free.result + free.peak) / 2;
  EXPECT_LT(most, free.peak);
  const Bytes bound = bytes_of(desk, line, "1", fmt::format("{:.0f}", most));
  EXPECT_EQ(bound.result, free.result);
}

} // namespace unravel::tool::test
