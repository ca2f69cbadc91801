// `reuse` in programs that `compile --main` makes.
#include "tool.h"

#include <array>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

/// The functions of structure and values take the operands in one order, with a mask, too.
TEST(ToolCompile, ProgramsReuseStructuresWithAMask) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  Desk desk;
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  desk.write("a.mtx", head + "2 3 3\n1 1 1\n1 2 2\n2 3 3\n");
  desk.write("b.mtx", head + "3 4 4\n1 2 1\n2 1 4\n3 4 5\n3 2 6\n");
  desk.write("m.mtx", head + "2 4 3\n1 1 1\n1 4 1\n2 4 1\n");
  for (const auto &[a, m] : {std::array{"A=csr", "M=csr"}, std::array{"A=dia", "M=csr"},
                           std::array{"A=ell", "M=coo"}}) {
    const Outcome made =
        desk.unravel({"compile", "C(i,j) = A(i,k) * B(k,j) mask M(i,j)", "-f", a, "-f", "B=csr", "-f", m,
                      "-f", "C=csr", "-s", "reuse", "--main", "-o", "program.c"});
    EXPECT_EQ(made.code, 0) << made.error;
    const Outcome compiled = desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror",
                                           "-fsanitize=address,undefined", "-fno-sanitize-recover",
                                           "program.c", "-o", "program", "-lm"});
    EXPECT_EQ(compiled.code, 0) << compiled.error;
    const Outcome ran = desk.execute({"./program", "A=a.mtx", "B=b.mtx", "M=m.mtx", "-o", "c.mtx"});
    EXPECT_EQ(ran.code, 0) << ran.error;
    EXPECT_EQ(desk.read("c.mtx"), head + "2 4 2\n1 1 8\n2 4 15\n") << a << " " << m;
  }
}

} // namespace
} // namespace unravel::tool::test
