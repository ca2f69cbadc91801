// Local tensors whose entries a hash table finds, as C: under the sanitizers, with threads, and wherever
// memory ends.
#include "tool/tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

/// EXPECTED adds to `wanted` what the result is to hold. Prints how often there was too little memory, then
/// whether all is right.
const char *const harness = R"(
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int left; /* allocations until memory ends */
static int ends(void) { return __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED) < 0; }
static void *scarce_realloc(void *memory, size_t size) { return ends() ? 0 : realloc(memory, size); }
static void *scarce_calloc(size_t count, size_t size) { return ends() ? 0 : calloc(count, size); }
#define realloc scarce_realloc
#define calloc scarce_calloc
#include "kernel.c"
#undef realloc
#undef calloc
enum { n = 150, each = 12 };
static int32_t ptr[2][n + 1], col[2][n * each];
static double val[2][n * each], dense[2][n][n], wanted[n][n];
static int is_right(const csr *C) {
  static double found[n][n];
  int right = 1, count = 0;
  for (int i = 0; i < n; i++)
    for (int p = C->rowptr[i]; p < C->rowptr[i + 1]; p++) {
      right = right && (p == C->rowptr[i] || C->col[p - 1] < C->col[p]);
      found[i][C->col[p]] = C->val[p];
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) right = right && found[i][j] == wanted[i][j], count += wanted[i][j] != 0;
  return right && count == C->NNZ;
}
int main(void) {
  uint32_t seed = 7;
  for (int m = 0; m < 2; m++)
    for (int i = 0, e = 0; i < n; ptr[m][++i] = e)
      for (int k = 0; k < each; k++, e++) {
        seed = seed * 1664525u + 1013904223u;
        col[m][e] = k * (n / each) + (int32_t)((seed >> 8) % (n / each));
        dense[m][i][col[m][e]] = val[m][e] = 1 + (seed >> 20) % 9;
      }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) { EXPECTED }
  csr A = {n, n, n * each, ptr[0], col[0], val[0]}, B = {n, n, n * each, ptr[1], col[1], val[1]};
  kernel_workspace work;
  int code = 2, failed = 0;
  for (int limit = LIMIT; code == 2; limit++) {
    csr C = {n, n, -1, 0, 0, 0};
    left = limit;
    kernel_workspace_init(&work);
    code = kernel(&C, &A, &B, &work);
    left = 1 << 30;
    failed += code == 2 && C.NNZ == -1 && !C.rowptr && !C.col && !C.val;
    if (code == 0) printf("%d %s\n", failed, is_right(&C) ? "right" : "wrong"), csr_free(&C);
    kernel_workspace_free(&work);
  }
  return code;
}
)";

std::string ran(const std::string &program, const std::string &expected, const std::string &limit) {
  Desk desk;
  const Outcome made = desk.unravel({"compile", program, "-f", "A=csr", "-f", "B=csr", "-f", "C=csr", "-f",
                                     "w=hashed", "--name", "kernel", "-o", "kernel.c"});
  EXPECT_EQ(made.code, 0) << made.error;
  desk.write("main.c", "#define EXPECTED " + expected + "\n#define LIMIT " + limit + "\n" + harness);
  const Outcome compiled = desk.execute({"gcc", "-std=c99", "-O1", "-g1", "-fopenmp", "-Wall", "-Wextra",
                                         "-pedantic", "-Werror", "-fsanitize=address,undefined",
                                         "-fno-sanitize-recover", "main.c", "-o", "program", "-lm"});
  EXPECT_EQ(compiled.code, 0) << compiled.error;
  const Outcome outcome = desk.execute({"env", "OMP_NUM_THREADS=4", "./program"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  return outcome.out;
}

const std::string in_rows =
    "for i { let w(j) = 0; for k { for j { w(j) += A(i,k)*B(k,j); } } for j { C(i,j) = w(j); } }";
const std::string product = "for (int k = 0; k < n; k++) wanted[i][j] += dense[0][i][k] * dense[1][k][j];";

} // namespace

TEST(ToolHashed, RowsInThreads) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  const std::string out = ran(in_rows, product, "0");
  EXPECT_EQ(out.substr(out.find(' ') + 1), "right\n") << out;
  EXPECT_GE(std::stoi(out), 10) << out;
}

/// Outside of all loops list and table grow: with enough memory, and wherever it ends.
TEST(ToolHashed, AMatrixThatGrows) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  const std::string sum = "let w(i,j) = 0; for i { for j { w(i,j) += A(i,j); } } "
                          "for i { for j { w(i,j) += B(j,i); } } for i { for j { C(i,j) = w(i,j); } }";
  const std::string out = ran(sum, "wanted[i][j] = dense[0][i][j] + dense[1][j][i];", "0");
  EXPECT_EQ(out.substr(out.find(' ') + 1), "right\n") << out;
  EXPECT_GE(std::stoi(out), 20) << out; // the table is made anew, and all arrays grow several times
}

/// Elements are looked up where others are inserted, and elsewhere, by one thread and by several.
TEST(ToolHashed, ElementsAreLookedUp) {
  const std::string rows = "for i { let w(j) = 0; for k { for j { w(j) += A(i,k)*B(k,j); } } for j { ";
  const std::string all = "let w(i,j) = 0; for i { for j { w(i,j) += A(i,j); } } for i { for j { ";
  for (const std::string &program : std::vector<std::string>{
           rows + "y(i) += w(j) * w(j); } }", rows + "y(i) += w(j) * B(i,j); } }",
           rows + "y(i) += w(j) * x(j); } }", rows + "y(i) += w(j) * v(j); } }",
           "for i { let w(j) = 0; let v(j) = 0; for j { w(j) += A(i,j); } for j { v(j) += B(i,j) * w(j); } "
           "for j { w(j) += v(j); } for j { y(i) += w(j) * v(j); } }",
           "for i { let w(j) = 0; for j { w(j) max= A(i,j); } for j { w(j) max= B(i,j); } "
           "for j { y(i) += w(j); } }",
           all + "y(i) += w(j,i) * B(i,j); } }",
           all + "w(j,i) += 2 * B(i,j); } } for i { for j { y(i) += w(i,j); } }",
           "let w(i,j,k) = 0; for i { for j { for k { w(i,j,k) += A(i,j) * B(j,k); } } } "
           "for i { for j { for k { y(i) += w(i,j,k) * A(k,i); } } }"})
    for (const char *threads : {"1", "4"}) {
      std::vector<std::string> arguments{"run",     program,
                                         "-f",      "A=csr",
                                         "-f",      "B=csr",
                                         "-f",      "w=hashed",
                                         "-i",      "A=banded:40,width=9",
                                         "-i",      "B=random:40x40,density=0.2",
                                         "--check", "--threads",
                                         threads};
      if (program.find("x(") != std::string::npos) arguments.insert(arguments.end(), {"-i", "x=random"});
      if (program.find("let v") != std::string::npos)
        arguments.insert(arguments.end(), {"-f", "v=hashed"});
      else if (program.find("v(") != std::string::npos)
        arguments.insert(arguments.end(), {"-f", "v=sv", "-i", "v=random:40,density=0.4"});
      const Outcome outcome = Desk().unravel(arguments);
      EXPECT_EQ(outcome.code, 0) << program << "\n" << outcome.error;
    }
}

/// Of a result with very many columns.
TEST(ToolHashed, OfItsOwnAccord) {
  Desk desk;
  for (const bool is_wide : {false, true}) {
    const Outcome outcome = desk.unravel(
        {"run", "C(i,j) = A(i,k) * B(k,j)", "-f", "A=csr", "-f", "B=csr", "-f", "C=csr", "-i",
         "A=random:100x200,density=0.02", "-i",
         is_wide ? "B=random:200x10000000,density=0.0000005" : "B=random:200x100000,density=0.00005",
         "--check", "--threads", "2", "--report", "page.html"});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_EQ(desk.read("page.html").find("a hash table finds them") != std::string::npos, is_wide);
  }
}

} // namespace unravel::tool::test
