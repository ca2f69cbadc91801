// C of parallel loops whose threads append to arrays of their own: the same arrays for any number of threads,
// and nothing is left where one of them has no memory.
#include "appending_kernels.h"
#include "each_compiler.h"
#include "emit/emit.h"
#include "loop/loop.h"

#include <gtest/gtest.h>

using namespace unravel;

namespace {

/// Where memory ends after so many allocations, of whichever thread.
const char *const short_of_memory = R"(
#include <stdlib.h>
static long unravel_left = 0, unravel_living = 0;
static int unravel_may_have(int is_new) {
  long left;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
  left = unravel_left--;
  if (left <= 0) return 0;
#ifdef _OPENMP
#pragma omp atomic
#endif
  unravel_living += is_new;
  return 1;
}
static void *unravel_scarce(void *array, size_t size) {
  return unravel_may_have(!array) ? realloc(array, size) : 0;
}
static void *unravel_scarce_zeros(size_t count, size_t size) {
  return unravel_may_have(1) ? calloc(count, size) : 0;
}
static void unravel_freed(void *array) {
  if (!array) return;
#ifdef _OPENMP
#pragma omp atomic
#endif
  unravel_living--;
  free(array);
}
#define realloc unravel_scarce
#define calloc unravel_scarce_zeros
#define free unravel_freed
)";

const char *const test_main = R"(
#include <stdio.h>
#include <string.h>
enum { rows = 700, most = rows * 40, plenty = 1000000000 };
static int32_t rowptr[rows + 1], col[most];
static double val[most];
static int make(RESULT *C, int64_t m) {
  csr A;
  memset(C, 0, sizeof(*C));
  A.M = m, A.N = 40, A.NNZ = rowptr[m], A.rowptr = rowptr, A.col = col, A.val = val;
  C->M = m, C->N = 40, C->NNZ = 77;
  return KERNEL(C, &A);
}
/* The entries by rows, whatever the layout. */
static int check(const RESULT *C, int64_t m) {
  int64_t i, p, n = 0, q = 0;
  (void)q;
  for (i = 0; i < m; i++) {
    int64_t count = 0;
    for (p = rowptr[i]; p < rowptr[i + 1]; p++) {
      if (val[p] == 0) continue;
      if (n >= C->NNZ || C->col[n] != col[p] || C->val[n] != val[p]) return printf("entry %d\n", (int)n), 1;
      n++, count++;
    }
    if (ROW(C, i, q, count, n)) return printf("row %d\n", (int)i), 1;
    q += count > 0;
  }
  return C->NNZ != n || END(C, m, q, n) ? printf("the counts\n"), 1 : 0;
}
int main(void) {
  RESULT C;
  int64_t i, p = 0, m;
  long left;
  int threads, code, failed = 0;
  for (i = 0; i < rows; i++) { /* some rows are long, many have nothing */
    int64_t count = i % 7 == 0 ? i % 41 : i % 3 == 0 ? 2 : 0, k;
    for (k = 0; k < count; k++, p++) col[p] = (int32_t)k, val[p] = (double)((i + k) % 3);
    rowptr[i + 1] = (int32_t)p;
  }
  for (threads = 1; threads <= 4; threads++) {
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
    for (m = 0; m <= rows; m += m < 70 ? 1 : 105) {
      unravel_left = plenty;
      if (make(&C, m)) return printf("the code isn't 0\n"), 1;
      if (check(&C, m)) return printf("%d rows, %d threads\n", (int)m, threads), 1;
      FREE(&C);
      if (unravel_living) return printf("%ld arrays are left\n", unravel_living), 1;
    }
    for (left = 0, code = 2; code; left++) {
      unravel_left = left;
      code = make(&C, 300);
      if (code && code != 2) return printf("code %d\n", code), 1;
      if (code && (C.NNZ != 77 || C.col || C.val)) return printf("the result was touched\n"), 1;
      if (code && unravel_living) return printf("%ld arrays are left, %d threads\n", unravel_living, threads), 1;
      failed += code != 0;
      if (left > 1000) return printf("it never ends\n"), 1;
    }
    if (check(&C, 300)) return 1;
    FREE(&C);
  }
  return failed < 20 ? printf("%d failed\n", failed), 1 : 0;
}
)";

const std::string of_rows = "#define RESULT csr\n#define KERNEL all_rows\n#define FREE csr_free\n"
                            "#define ROW(C, i, q, count, n) ((C)->rowptr[i] != (n) - (count))\n"
                            "#define END(C, m, q, n) ((C)->rowptr[m] != (n))\n";
const std::string of_stored_rows =
    "#define RESULT dcsr\n#define KERNEL stored_rows\n#define FREE dcsr_free\n"
    "#define ROW(C, i, q, count, n) \\\n"
    "  ((count) && ((C)->rowidx[q] != (i) || (C)->rowptr[q] != (n) - (count)))\n"
    "#define END(C, m, q, n) ((C)->NR != (q) || (C)->rowptr[q] != (n))\n";

const std::vector<std::string> compilers = {
    "gcc -std=c99 -O2 -fopenmp",
    "gcc -std=c99 -O2",
    "gcc -std=c99 -O1 -g -fopenmp -fsanitize=address,undefined -fno-sanitize-recover",
    "g++ -x c++ -std=c++17 -O2 -fopenmp",
    "clang-19 -std=c99 -O2 -fopenmp",
};

void expect_runs(const std::string &program, const std::string &macros) {
  const std::string text = short_of_memory + emit::emit_c(loop::parse_program(program)) + macros + test_main;
  test::expect_runs(text, compilers);
}

} // namespace

TEST(EmitAppended, rows_by_threads) {
  expect_runs(test::rows_in_parallel, of_rows);
}

TEST(EmitAppended, stored_rows_by_threads) {
  expect_runs(test::stored_rows_in_parallel, of_stored_rows);
}
