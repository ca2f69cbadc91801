// The number of threads in a kernel's workspace: what OpenMP is asked for, told by a wrapper around its own
// function.
#include "tool/tool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

/// CALL calls the kernel, and is 0 on success. Prints the largest team that was asked for, with 0, 1 and 3 in
/// the workspace, and what stands there after the workspace was freed; exits with 1 where results differ.
const std::string harness = R"(#include "kernel.h"
#include <stdio.h>
#include <stdlib.h>
static unsigned largest;
void __real_GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
void __wrap_GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags) {
  if (threads > largest) largest = threads;
  __real_GOMP_parallel(body, data, threads, flags);
}
enum { n = 20000, each = 8, entries = n * each };
static int32_t ptr[n + 1], index_[entries];
static double val[entries], x_val[n], y_val[n];
int main(void) {
  double first = 0;
  kernel_workspace work;
  kernel_workspace_init(&work);
  for (int i = 0; i < n; i++) {
    ptr[i + 1] = each * (i + 1), x_val[i] = i % 13;
    for (int k = 0; k < each; k++) index_[each * i + k] = (k * (n / each) + 7 * i % (n / each)) % n;
  }
  for (int p = 0; p < entries; p++) val[p] = p % 11;
  for (int wanted = 0; wanted <= 3; wanted += 1 + (wanted > 0)) {
    double sum = 0;
    work.threads = wanted, largest = 0;
    CALL
    if (wanted == 0) first = sum;
    if (sum != first || sum == 0) return 1;
    printf("%u ", largest);
  }
  kernel_workspace_free(&work);
  printf("%d\n", (int)work.threads);
  return 0;
}
)";

const std::string product = "csr A = {n, n, entries, ptr, index_, val}, C = {n, n, 0, 0, 0, 0}; "
                            "if (kernel(&C, &A, &A, &work)) return 2; "
                            "for (int64_t p = 0; p < C.NNZ; p++) sum += C.val[p]; csr_free(&C);";
const std::string by_columns = "csc A = {n, n, entries, ptr, index_, val}; "
                               "dense_vector x = {n, x_val}, y = {n, y_val}; "
                               "if (kernel(&y, &A, &x, &work)) return 2; "
                               "for (int i = 0; i < n; i++) sum += y_val[i];";

} // namespace

TEST(ToolTeam, HasAsManyThreadsAsTheWorkspaceSays) {
  if (Desk().execute({"sh", "-c", "command -v gcc"}).code != 0)
    GTEST_SKIP() << "the program gcc is not installed";
  const Desk desk;
  struct Case {
    std::vector<std::string> line;
    std::string call, teams;
  };
  const std::vector<Case> cases = {
      {{"C(i,j) = A(i,k) * A2(k,j)", "-f", "A=csr", "-f", "A2=csr", "-f", "C=csr"}, product, "2 1 3 3\n"},
      {{"y(i) = A(i,j) * x(j)", "-f", "A=csc", "-s", "parallel j"},
       by_columns,
       "2 0 3 3\n"}} /* one thread has no copies, and no team */;
  for (const Case &each : cases) {
    SCOPED_TRACE(each.line[0]);
    std::vector<std::string> command = {"compile", "--name", "kernel", "-o", "kernel.c"};
    command.insert(command.end(), each.line.begin(), each.line.end());
    const Outcome made = desk.unravel(command);
    ASSERT_EQ(made.code, 0) << made.error;
    desk.write("main.c", fmt::format("#define CALL {}\n{}", each.call, harness));
    const Outcome compiled = desk.execute({"gcc", "-std=c99", "-O1", "-fopenmp", "-Wl,--wrap=GOMP_parallel",
                                           "kernel.c", "main.c", "-o", "program", "-lm"});
    ASSERT_EQ(compiled.code, 0) << compiled.error;
    const Outcome ran = desk.execute({"env", "OMP_NUM_THREADS=2", "./program"});
    EXPECT_EQ(ran.code, 0) << ran.error;
    EXPECT_EQ(ran.out, each.teams);
  }
}

/// Where no loop is parallel, there is nothing to say.
TEST(ToolTeam, IsNotAskedForWithoutParallelLoops) {
  const Outcome made = Desk().unravel(
      {"compile", "C(i,j) = A(i,k) * B(k,j)", "-f", "A=csr", "-f", "B=csr", "-f", "C=csr", "-s", "serial"});
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_NE(made.out.find("kernel_workspace"), std::string::npos);
  EXPECT_EQ(made.out.find("threads"), std::string::npos);
}

} // namespace unravel::tool::test
