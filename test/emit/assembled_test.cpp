// Kernels that assemble their results: what is made, how it grows, and what is left where that fails.
#include "each_compiler.h"
#include "emit/emit.h"
#include "golden.h"
#include "list_kernels.h"
#include "loop/interpret.h"
#include "loop/passes.h"
#include "short_of_memory.h"

using namespace unravel;

namespace {

loop::Program kernel(const std::string &name) {
  for (const std::string &text : test::golden_inputs("emit", "kernel_assembled"))
    if (loop::Program program = loop::parse_program(text); program.name == name) return program;
  ADD_FAILURE() << name;
  return {};
}

/// Rows of 0, 1, 2, ... entries, to be picked by a vector that has every second column.
const char *const pick_main = R"(
#include <stdio.h>
#include <string.h>
static int check(int holds, const char *what) {
  if (!holds) printf("%s\n", what);
  return !holds;
}
static int run(int64_t rows, pick_columns_workspace *work) {
  int64_t i, p, n = 0, stored = rows * (rows - 1) / 2;
  int32_t *rowptr = (int32_t *)malloc((size_t)(rows + 1) * sizeof(*rowptr));
  int32_t *col = (int32_t *)malloc((size_t)(stored + 1) * sizeof(*col));
  int32_t *idx = (int32_t *)malloc((size_t)(rows + 1) * sizeof(*idx));
  double *val = (double *)malloc((size_t)(stored + 1) * sizeof(*val));
  double *ones = (double *)malloc((size_t)(rows + 1) * sizeof(*ones));
  csr A, C;
  sv x;
  int bad = 0;
  A.M = A.N = rows, A.NNZ = stored, A.rowptr = rowptr, A.col = col, A.val = val;
  x.N = rows, x.NNZ = rows / 2, x.idx = idx, x.val = ones;
  rowptr[0] = 0;
  for (i = 0; i < rows; i++) {
    for (p = 0; p < i; p++) col[rowptr[i] + p] = (int32_t)p, val[rowptr[i] + p] = (double)(i + p);
    rowptr[i + 1] = (int32_t)(rowptr[i] + i);
  }
  for (i = 0; i < rows / 2; i++) idx[i] = (int32_t)(2 * i + 1), ones[i] = i % 3 ? 2 : 0;
  memset(&C, 85, sizeof(C)); /* nothing but the sizes is read */
  C.M = rows, C.N = rows + 1;
  bad |= check(pick_columns(&C, &A, &x, work) == 1, "the sizes don't agree");
  bad |= check(C.NNZ == 0x5555555555555555, "the result was touched");
  C.N = rows;
  bad |= check(pick_columns(&C, &A, &x, work) == 0, "the code isn't 0");
  bad |= check(C.M == rows && C.N == rows && C.rowptr && C.col && C.val, "an array is missing");
  bad |= check(C.rowptr[0] == 0, "the first row");
  for (i = 0; i < rows; i++) {
    for (p = rowptr[i]; p < rowptr[i + 1]; p++) {
      if (col[p] % 2 == 0) continue;
      bad |= check(n < C.NNZ && C.col[n] == col[p], "a column");
      bad |= check(n < C.NNZ && C.val[n] == val[p] * (col[p] / 2 % 3 ? 2 : 0), "a value");
      n++;
    }
    bad |= check(C.rowptr[i + 1] == n, "a row's end");
  }
  bad |= check(C.NNZ == n, "the count");
  csr_free(&C);
  bad |= check(!C.rowptr && !C.col && !C.val && C.NNZ == 0 && C.M == rows, "what is freed");
  csr_free(&C);
  free(rowptr), free(col), free(idx), free(val), free(ones);
  return bad;
}
int main(void) {
  pick_columns_workspace work;
  int bad = 0;
  int64_t rows;
  pick_columns_workspace_init(&work);
  for (rows = 0; rows < 40; rows++) bad |= run(rows, &work);
  bad |= run(900, &work); /* 200000 entries: it grows often */
  pick_columns_workspace_free(&work);
  return bad;
}
)";

const char *const scarce_main = R"(
#include <stdio.h>
#include <string.h>
int main(void) {
  enum { rows = 30, width = 30 };
  static int32_t rowptr[rows + 1], col[rows * width], idx[width];
  static double val[rows * width], ones[width];
  pick_columns_workspace work;
  csr A = {rows, width, rows * width, rowptr, col, val}, C;
  sv x = {width, width, idx, ones};
  long left;
  int i, j, code = 2, failed = 0;
  for (i = 0; i < rows; i++) {
    rowptr[i + 1] = (i + 1) * width;
    for (j = 0; j < width; j++) col[i * width + j] = j, val[i * width + j] = 1;
  }
  for (j = 0; j < width; j++) idx[j] = j, ones[j] = 1;
  pick_columns_workspace_init(&work);
  for (left = 0; code; left++) {
    csr before;
    memset(&C, 0, sizeof(C));
    C.M = rows, C.N = width, C.NNZ = 77;
    before = C;
    unravel_left = left;
    code = pick_columns(&C, &A, &x, &work);
    if (code && code != 2) return printf("code %d\n", code), 1;
    if (code && memcmp(&C, &before, sizeof(C))) return printf("the result was touched\n"), 1;
    if (code && unravel_living) return printf("%ld arrays are left\n", unravel_living), 1;
    failed += code != 0;
    if (left > 100) return printf("it never ends\n"), 1;
  }
  if (C.NNZ != rows * width || failed < 6) return printf("%d failed\n", failed), 1;
  for (i = 0; i < C.NNZ; i++)
    if (C.col[i] != i % width || C.val[i] != 1) return printf("entry %d\n", i), 1;
  /* The workspace is clean after failures: the result of the next call is right. */
  csr_free(&C);
  pick_columns_workspace_free(&work);
  if (unravel_living) return printf("%ld arrays are left at the end\n", unravel_living), 1;
  return 0;
}
)";

const char *const codes_main = R"(
#include <stdio.h>
int main(void) {
  double values[6] = {1, 0, 2, 4, 0, 8};
  dense_vector x = {6, values};
  sv v = {6, 55, 0, 0};
  int i;
  if (at_once(&v, &x) != 4 || v.NNZ != 55 || v.idx || v.val) return printf("at once\n"), 1;
  if (not_zero(&v, &x) || v.NNZ != 4) return printf("not_zero\n"), 1;
  for (i = 0; i < 4; i++)
    if (values[v.idx[i]] != v.val[i]) return printf("entry %d\n", i), 1;
  sv_free(&v);
  return 0;
}
)";

const char *const tree_main = R"(
#include <stdio.h>
int main(void) {
  double values[4] = {1, 2, 0, 4};
  dense_vector x = {3, values};
  tree_of_blocks C = {5, 3, 0, 0, 0, 0, 0, 0, 0};
  int64_t i;
  if (blocks_of_rows(&C, &x) || C.NR != 5 || C.NB != 10) return printf("counts\n"), 1;
  for (i = 0; i < 5; i++)
    if (C.rows[i] != 3 * i || C.pos[i + 1] != C.pos[i] + i || (i > 0 && C.val[6 * C.pos[i] + 1] != 0.5) ||
        C.sums[2 * i + 1] != (i > 0 ? 1 : 0))
      return printf("row %d\n", (int)i), 1;
  tree_of_blocks_free(&C);
  C.M = 0;
  if (blocks_of_rows(&C, &x) || C.NR || C.NB || !C.rows || C.pos[0] || !C.val || !C.sums)
    return printf("no rows\n"), 1;
  tree_of_blocks_free(&C);
  C.M = 2, C.N = x.N = 4, C.NR = 9;
  if (blocks_of_rows(&C, &x) != 3 || C.NR != 9 || C.rows || C.val) return printf("missed\n"), 1;
  return 0;
}
)";

/// Keys of every kind, in lists of every length that the C functions tell apart.
const char *const sort_main = R"(
#include <stdio.h>
static KEY key_of(int kind, int64_t i, int64_t count) {
  const uint64_t drawn = (uint64_t)i * 2654435761u + 12345;
  switch (kind) {
  case 0: return (KEY)i;
  case 1: return (KEY)(count - i);
  case 2: return (KEY)(drawn >> 7) % 5;
  case 3: return (KEY)(drawn * drawn >> 9);
  case 4: return i % 3 == 0 ? LEAST : i % 3 == 1 ? MOST : (KEY)(drawn >> 5);
  default: return 7;
  }
}
int main(void) {
  static const int64_t counts[] = {0, 1, 2, 3, 39, 40, 41, 300, 4095, 4096, 20000};
  static KEY keys[20000];
  static int seen[20000];
  sort_keys_workspace work;
  unsigned c;
  int kind;
  sort_keys_workspace_init(&work);
  for (c = 0; c < sizeof(counts) / sizeof(*counts); c++)
    for (kind = 0; kind < 6; kind++) {
      const int64_t count = counts[c];
      list C = {count, 0, 0, 0, 0};
      keys_of x = {count, keys};
      int64_t i;
      for (i = 0; i < count; i++) keys[i] = key_of(kind, i, count), seen[i] = 0;
      if (sort_keys(&C, &x, &work) || C.NNZ != count) return printf("code\n"), 1;
      for (i = 0; i < count; i++) {
        if (C.idx[i] < 0 || C.idx[i] >= count || seen[C.idx[i]]++) return printf("no permutation\n"), 1;
        if (C.key[i] != keys[C.idx[i]]) return printf("a key was left\n"), 1;
        if (i == 0) continue;
        if (C.key[i - 1] > C.key[i]) return printf("kind %d, %d keys: no order\n", kind, (int)count), 1;
        if (C.key[i - 1] == C.key[i] && C.idx[i - 1] > C.idx[i]) return printf("not stable\n"), 1;
      }
      list_free(&C);
    }
  sort_keys_workspace_free(&work);
  return 0;
}
)";

/// Keys of ranges that end within, and behind, words of 32 and 64 bits and 64 pairs of them; the workspace is
/// kept.
const char *const distinct_main = R"(
#include <stdio.h>
int main(void) {
  static const int64_t extents[] = {1, 31, 32, 33, 63, 64, 65, 100, 4095, 4096, 4097, 9000, 300000};
  static const int64_t counts[] = {0, 1, 3, 39, 40, 41, 600, 6000};
  static int32_t keys[6000];
  static char seen[300000];
  distinct_keys_workspace work;
  unsigned e, c;
  distinct_keys_workspace_init(&work);
  for (e = 0; e < sizeof(extents) / sizeof(*extents); e++)
    for (c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
      const int64_t extent = extents[e], count = counts[c];
      list C = {count, 0, 0, 0};
      keys_of x = {count, extent, keys};
      int64_t i, next = 0;
      uint32_t drawn = 7;
      for (i = 0; i < extent; i++) seen[i] = 0;
      for (i = 0; i < count; i++) {
        drawn = drawn * 1664525u + 1013904223u;
        keys[i] = i % 5 == 0 ? (int32_t)extent - 1 : (int32_t)((drawn >> 8) % (uint32_t)extent);
        seen[keys[i]] = 1;
      }
      if (distinct_keys(&C, &x, &work)) return printf("code\n"), 1;
      for (i = 0; i < extent; i++)
        if (seen[i] && (next >= C.NNZ || C.idx[next++] != i))
          return printf("%d of %d keys: no %d\n", (int)count, (int)extent, (int)i), 1;
      if (next != C.NNZ) return printf("too many\n"), 1;
      list_free(&C);
    }
  distinct_keys_workspace_free(&work);
  return 0;
}
)";

/// A kernel that lists its entries in arrays that grow, and then copies them.
const std::string growing_kernel = test::head_of_list("collect", test::operand_of_values) +
                                   "workspace w.idx[0] : int64 grows\nworkspace w.val[0] : float64 grows\n" +
                                   R"({
  var n = 0
  for i in 0 .. x.N {
    for j in 0 .. i {
      reserve room >= n + 1 : w.idx, w.val
      w.idx(n) := i
      w.val[n] = x.val[j]
      n := n + 1
    }
  }
  reserve C.NNZ >= n : C.idx, C.val
  for p in 0 .. n {
    C.idx(p) := w.idx(p)
    C.val[p] = w.val[p]
  }
  count C.NNZ = n
}
)";

const char *const growing_main = R"(
#include <stdio.h>
enum { count = 60 };
static int check_and_free(list *C) {
  int64_t p = 0;
  int i, j;
  for (i = 0; i < count; i++)
    for (j = 0; j < i; j++, p++)
      if (C->idx[p] != i || C->val[p] != j + 1) return printf("entry %d\n", (int)p), 1;
  if (C->NNZ != p) return printf("the count\n"), 1;
  list_free(C);
  return 0;
}
int main(void) {
  static double values[count];
  collect_workspace work;
  v x = {count, values};
  list C = {count, 77, 0, 0};
  long left;
  int i, code = 2, failed = 0;
  for (i = 0; i < count; i++) values[i] = i + 1;
  for (left = 0; code; left++) {
    collect_workspace_init(&work);
    unravel_left = left;
    code = collect(&C, &x, &work);
    if (code && code != 2) return printf("code %d\n", code), 1;
    if (code && (C.NNZ != 77 || C.idx || C.val)) return printf("the result was touched\n"), 1;
    failed += code != 0;
    if (code) collect_workspace_free(&work);
    if (code && unravel_living) return printf("%ld arrays are left\n", unravel_living), 1;
    if (left > 100) return printf("it never ends\n"), 1;
  }
  if (failed < 6) return printf("%d failed\n", failed), 1;
  if (check_and_free(&C)) return 1;
  unravel_left = -1; /* the second time with the room that is there */
  if (collect(&C, &x, &work)) return printf("the second time\n"), 1;
  if (check_and_free(&C)) return 1;
  collect_workspace_free(&work);
  if (unravel_living) return printf("%ld arrays are left at the end\n", unravel_living), 1;
  return 0;
}
)";

/// Entries by rows, some of them several times, to columns: with enough memory, and wherever it ends.
const char *const deal_main = R"(
#include <stdio.h>
enum { rows = 25, columns = 30, most = 3 * rows * columns };
static int check(const csc *C, const list_by_rows *A) {
  static double dense[rows * columns];
  int64_t p;
  int i, j;
  for (i = 0; i < rows * columns; i++) dense[i] = 0;
  for (p = 0; p < A->NNZ; p++) dense[A->row[p] * columns + A->col[p]] += A->val[p];
  if (C->colptr[0] != 0 || C->colptr[C->N] != C->NNZ) return printf("the ends\n"), 1;
  for (j = 0; j < C->N; j++)
    for (p = C->colptr[j]; p < C->colptr[j + 1]; p++) {
      if (p > C->colptr[j] && C->row[p - 1] >= C->row[p]) return printf("column %d: no order\n", j), 1;
      if (dense[C->row[p] * columns + j] != C->val[p]) return printf("entry %d\n", (int)p), 1;
      dense[C->row[p] * columns + j] = 0;
    }
  for (i = 0; i < rows * columns; i++)
    if (dense[i] != 0) return printf("an entry is missing\n"), 1;
  return 0;
}
int main(void) {
  static int32_t row[most], col[most];
  static double val[most];
  list_by_rows A = {rows, columns, 0, 0, 0, 0};
  to_columns_workspace work;
  int kind, i, j, k;
  to_columns_workspace_init(&work);
  A.row = row, A.col = col, A.val = val;
  for (kind = 0; kind < 4; kind++) { /* no entries, each coordinate once, some of them twice or three times */
    csc C = {rows, columns, 77, 0, 0, 0};
    long left;
    int code = 2, failed = 0;
    A.NNZ = 0;
    for (i = 0; kind > 0 && i < rows; i++)
      for (k = 0; k < kind; k++)
        for (j = (i + k) % 3; j < columns; j += 1 + i % 4, A.NNZ++)
          row[A.NNZ] = i, col[A.NNZ] = j, val[A.NNZ] = 1 + (double)(A.NNZ % 7);
    for (left = 0; code; left++) {
      to_columns_workspace_free(&work);
      to_columns_workspace_init(&work);
      unravel_left = left;
      code = to_columns(&C, &A, &work);
      if (code && code != 2) return printf("code %d\n", code), 1;
      if (code && (C.NNZ != 77 || C.colptr || C.row || C.val)) return printf("the result was touched\n"), 1;
      if (code) to_columns_workspace_free(&work);
      if (code && unravel_living) return printf("%ld arrays are left\n", unravel_living), 1;
      failed += code != 0;
      if (left > 100) return printf("it never ends\n"), 1;
    }
    if (failed < 4 || check(&C, &A)) return printf("%d failed, kind %d\n", failed, kind), 1;
    csc_free(&C);
    unravel_left = -1; /* the second time with the workspace that is there */
    if (to_columns(&C, &A, &work) || check(&C, &A)) return printf("the second time\n"), 1;
    csc_free(&C);
  }
  to_columns_workspace_free(&work);
  return unravel_living != 0;
}
)";

const std::vector<std::string> compilers = {
    "gcc -std=c99 -O3",
    "gcc -std=c99 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover",
    "g++ -x c++ -std=c++17 -O2",
    "clang-19 -std=c99 -O3",
    "clang-19 -std=c99 -O3 -march=native -fopenmp",
    "clang++-19 -x c++ -std=c++17 -O2",
};

void expect_runs(const std::string &text) {
  test::expect_runs(text, compilers);
}

} // namespace

TEST(EmitAssembled, results_grow_and_are_freed) {
  expect_runs(emit::emit_c(kernel("pick_columns")) + pick_main);
}

TEST(EmitAssembled, improved_kernels_do_the_same) {
  loop::Program program =
      loop::improve(kernel("pick_columns"),
                    {[](const term::Term &load) { return load.as<term::Apply>()->function == "A.rowptr"; }});
  expect_runs(emit::emit_c(program) + pick_main);
}

/// Whichever allocation fails, the kernel returns 2, touches nothing and keeps nothing.
TEST(EmitAssembled, nothing_is_left_where_memory_ends) {
  expect_runs(test::short_of_memory + emit::emit_c(kernel("pick_columns")) + scarce_main);
}

TEST(EmitAssembled, entries_are_dealt_to_columns) {
  const loop::Program program = kernel("to_columns");
  for (const loop::Program &each : {program, loop::improve(program)})
    expect_runs(test::short_of_memory + emit::emit_c(each) + deal_main);
}

TEST(EmitAssembled, counts_that_indices_do_not_hold_have_a_code) {
  loop::Program program = kernel("not_zero");
  const std::string text = emit::emit_c(program);
  program.name = "at_once";
  program.body =
      loop::parse_block("reserve v.NNZ >= 5000000000 : v.idx, v.val\nv.idx(0) := 1\ncount v.NNZ = 1\n");
  expect_runs(text + emit::emit_c(program) + codes_main);
}

TEST(EmitAssembled, several_counts_and_misses) {
  expect_runs(emit::emit_c(kernel("blocks_of_rows")) + tree_main);
}

TEST(EmitAssembled, the_header_has_the_function_that_frees) {
  if (!test::is_installed("gcc")) GTEST_SKIP() << "gcc is not installed";
  test::ScratchFolder folder;
  const loop::Program program = kernel("pick_columns");
  emit::EmitOptions options;
  options.with_header = true;
  folder.write("pick_columns.h", emit::emit_header(program));
  const std::string file = folder.write("kernel.c", emit::emit_c(program, options));
  const std::string user = folder.write("user.c", std::string("#include \"pick_columns.h\"\n") + pick_main);
  EXPECT_EQ(folder.run("gcc -std=c99 -Wall -Wextra -pedantic -Werror " + file + " " + user + " -o " +
                       folder.path("user")),
            "");
  EXPECT_EQ(folder.run(folder.path("user")), "");
}

TEST(EmitAssembled, names_are_kept_apart) {
  loop::Program program = kernel("not_zero");
  program.name = "sv_free";
  const std::string text = emit::emit_c(program);
  EXPECT_NE(text.find("int sv_free_("), std::string::npos) << text;
  EXPECT_NE(text.find("static inline void sv_free("), std::string::npos);
  program.name = "not_zero";
  program.body =
      loop::parse_block("let code = x.N\nlet failed = code\nfor least in 0 .. failed {\nreserve v.NNZ "
                        ">= least + code : v.idx, v.val\nv.idx(least) := least\nv.val[least] = 1\n}\n"
                        "let v_NNZ_room = code\ncount v.NNZ = v_NNZ_room\n");
  expect_runs(emit::emit_c(program) +
              "int main(void) {\n  double values[2] = {1, 2};\n  dense_vector x = {2, values};\n"
              "  sv v = {2, 0, 0, 0};\n  if (not_zero(&v, &x) || v.NNZ != 2 || v.idx[1] != 1) return 1;\n"
              "  sv_free(&v);\n  return 0;\n}\n");
}

TEST(EmitAssembled, keys_are_sorted) {
  expect_runs(emit::emit_c(loop::parse_program(test::head_of_sort("int32", 2) + test::sorting)) +
              "#define KEY int32_t\n#define LEAST INT32_MIN\n#define MOST INT32_MAX\n" + sort_main);
  expect_runs(emit::emit_c(loop::parse_program(test::head_of_sort("int64", 4) + test::sorting)) +
              "#define KEY int64_t\n#define LEAST INT64_MIN\n#define MOST INT64_MAX\n" + sort_main);
}

TEST(EmitAssembled, bits_are_looked_through_and_lists_sorted) {
  expect_runs(emit::emit_c(loop::parse_program(test::listing_distinct_keys)) + distinct_main);
}

TEST(EmitAssembled, keys_are_sorted_by_themselves) {
  for (const char *type : {"int32", "int64"}) {
    std::string text = test::head_of_sort(type, 1) + test::sorting;
    for (const auto &[from, to] :
         {std::pair<std::string, std::string>{"sort order by keys in", "sort keys in"}})
      text.replace(text.find(from), from.size(), to);
    const bool is_long = std::string(type) == "int64";
    const std::string least = is_long ? "INT64_MIN" : "INT32_MIN", most = is_long ? "INT64_MAX" : "INT32_MAX";
    std::string main = sort_main;
    const std::string from = "seen[C.idx[i]]++) return printf(\"no permutation\\n\"), 1;\n";
    const std::size_t begin = main.find(from) + from.size();
    // the places are those before
    main.erase(begin, main.find("        if (i == 0)") - begin);
    const std::size_t stable = main.find("        if (C.key[i - 1] == C.key[i]");
    main.erase(stable, main.find('\n', stable) + 1 - stable);
    expect_runs(emit::emit_c(loop::parse_program(text)) + "#define KEY " + type + "_t\n#define LEAST " +
                least + "\n#define MOST " + most + "\n" + main);
  }
}

TEST(EmitAssembled, arrays_of_the_workspace_grow_and_stay_for_the_next_call) {
  expect_runs(test::short_of_memory + emit::emit_c(loop::parse_program(growing_kernel)) + growing_main);
}

/// In process the caller frees the arrays.
TEST(EmitAssembled, in_process_text_has_an_entry_and_no_function_that_frees) {
  emit::EmitOptions options;
  options.in_process = true;
  const std::string text = emit::emit_c(kernel("pick_columns"), options);
  EXPECT_EQ(text.find("csr_free"), std::string::npos);
  EXPECT_NE(text.find("free()"), std::string::npos);
  EXPECT_NE(text.find("int unravel_entry(void **arguments)"), std::string::npos);
}

/// The program around a kernel gives it the sizes, and frees what it made.
TEST(EmitAssembled, the_program_around_it_runs) {
  if (!test::is_installed("gcc")) GTEST_SKIP() << "gcc is not installed";
  test::ScratchFolder folder;
  const loop::Program program = kernel("not_zero");
  folder.write("x.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n0\n2\n3\n");
  const std::string packs = R"(
int pack_dense_vector(dense_vector *tensor, int64_t n, int64_t *const index[], const double *values, int64_t N) {
  int64_t e;
  tensor->N = N, tensor->val = (double *)calloc((size_t)N + 1, sizeof(double));
  for (e = 0; e < n; e++) tensor->val[index[0][e]] += values[e];
  return 0;
}
void free_dense_vector(dense_vector *tensor) { free(tensor->val); }
)";
  const std::string file =
      folder.write("program.c", emit::emit_c(program) + packs + emit::emit_main(program));
  ASSERT_EQ(folder.run("gcc -std=c99 -O1 -fsanitize=undefined,address -Wall -Wextra -pedantic -Werror " +
                       file + " -o " + folder.path("program")),
            "");
  const std::string command = folder.path("program") + " x=" + folder.path("x.mtx");
  const std::string said = folder.run(command);
  EXPECT_NE(said.find("not_zero: "), std::string::npos) << said;
  EXPECT_EQ(said.find("error"), std::string::npos) << said;
  const std::string written = folder.run(command + " -o " + folder.path("v.mtx"));
  EXPECT_NE(written.find("a result of this layout can't be written"), std::string::npos) << written;
}
