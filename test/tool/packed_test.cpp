// Packed results as C: what is left where memory ends.
#include "short_of_memory.h"
#include "tool/tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

/// FIRST, SECOND and THIRD are the types of the results. Those that fail again and again first hold what is
/// no array.
const char *const driver = R"(
#include <stdio.h>
#include <string.h>
#define CAT(a, b) a##b
#define FREE(type, result) CAT(type, _free)(&result)
int main(void) {
  enum { rows = 5 };
  static int32_t rowptr[rows + 1], col[rows * rows];
  static double val[rows * rows];
  csr A = {rows, rows, rows * rows, rowptr, col, val};
  FIRST C, C_before;
  SECOND D, D_before;
  THIRD E, E_before;
  int i, j, code = 2, failed = 0;
  for (i = 0; i < rows; i++) {
    rowptr[i + 1] = (i + 1) * rows;
    for (j = 0; j < rows; j++) col[i * rows + j] = j, val[i * rows + j] = i + 1;
  }
  memset(&C, 0x5a, sizeof(C)), memset(&D, 0x5a, sizeof(D)), memset(&E, 0x5a, sizeof(E));
  C.M = C.N = D.M = D.N = E.M = E.N = rows;
  C_before = C, D_before = D, E_before = E;
  for (unravel_left = 0; code; unravel_left = ++failed) {
    code = CALL;
    if (code && code != 2) return printf("code %d\n", code), 1;
    if (code && (memcmp(&C, &C_before, sizeof(C)) || memcmp(&D, &D_before, sizeof(D)) ||
                 memcmp(&E, &E_before, sizeof(E))))
      return printf("allocation %d: a result was touched\n", failed), 1;
    if (code && unravel_living) return printf("allocation %d: %ld arrays are left\n", failed, unravel_living), 1;
    if (failed > 200) return printf("it never ends\n"), 1;
  }
  FREE(FIRST, C);
  if (RESULTS > 1) FREE(SECOND, D);
  if (RESULTS > 2) FREE(THIRD, E);
  if (unravel_living) return printf("%ld arrays are left at the end\n", unravel_living), 1;
  return failed < 6 ? printf("%d failed\n", failed), 1 : 0;
}
)";

struct Kernel {
  std::string expression;
  std::vector<std::string> results; // layouts
  std::string schedule = "serial";
};

/// Whichever allocation fails, the function returns 2, touches no result and keeps nothing.
TEST(ToolPacked, NothingIsLeftWhereMemoryEnds) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  const Desk desk;
  const std::string difference = "C(i,j) = A(i,j+1) - A(i,j)";
  const std::string results = "tensor A(n,n), C(n,n), D(n,n), E(n,n); for i { for j { C(i,j) = A(i,j)*2; } } "
                              "for i { for j { D(i,j) = A(i,j)*3; } } for i { for j { E(i,j) = A(i,j)*4; } }";
  const std::vector<Kernel> kernels = {{difference, {"ell"}},
                                       {"C(i,j) = A(i,k) * A(k,j)", {"sell<2>"}},
                                       {difference, {"hyb<1>"}, "drop zeros"},
                                       {results, {"csr", "ell", "coo"}},
                                       {results, {"ell", "hyb<1>", "dia"}}};
  for (const auto &[expression, layouts, schedule] : kernels) {
    std::vector<std::string> command = {"compile", expression, "-f",     "A=csr", "-s",
                                        schedule,  "--name",   "kernel", "-o",    "kernel.c"};
    std::string call = "kernel(&C", types[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string layout = layouts[std::min(k, layouts.size() - 1)];
      types[k] = layout == "hyb<1>" ? "hyb_1" : layout == "sell<2>" ? "sell_2" : layout;
      if (k < layouts.size()) command.insert(command.end(), {"-f", std::string(1, "CDE"[k]) + "=" + layout});
      if (k > 0 && k < layouts.size()) call += std::string(", &") + "CDE"[k];
    }
    const Outcome made = desk.unravel(command);
    ASSERT_EQ(made.code, 0) << made.error;
    desk.write("driver.c", unravel::test::short_of_memory + "#include \"kernel.c\"\n#define CALL " + call +
                               ", &A)\n" + driver);
    const Outcome compiled =
        desk.execute({"gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas",
                      "-fsanitize=address,undefined", "-fno-sanitize-recover", "-DFIRST=" + types[0],
                      "-DSECOND=" + types[1], "-DTHIRD=" + types[2],
                      "-DRESULTS=" + std::to_string(layouts.size()), "driver.c", "-o", "driver", "-lm"});
    ASSERT_EQ(compiled.code, 0) << compiled.error;
    const Outcome ran = desk.execute({"./driver"});
    EXPECT_EQ(ran.code, 0) << expression << " " << layouts[0] << "\n" << ran.out << ran.error;
  }
}

} // namespace
} // namespace unravel::tool::test
