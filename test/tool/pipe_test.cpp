// What comes through a pipe can be read once: commands that need it twice keep it.
#include "cfront/cfront.h"
#include "places.h"
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

const std::string program = "tensor y(n), L(n, n), b(n);\n"
                            "for i { y(i) = b(i); for j in [0,i) { y(i) -= L(i,j)*y(j); } }\n";

/// The command, with the file's text on its standard input.
Outcome piped(const Desk &desk, const std::string &file, const std::string &arguments) {
  return desk.execute({"sh", "-c", "cat " + file + " | " + unravel::test::tool_path() + " " + arguments});
}

TEST(ToolPipe, TextsThatAreAskedForTwice) {
  const Desk desk;
  desk.write("solve.txt", program);
  desk.write("mine.layout", shipped_layout("csr"));
  desk.write("line.txt", "y(i) = A(i,j)*B(j,k)*x(k)");
  desk.write("f.c", "void f(int n, double L[n][n], double y[n]) {\n  for (int i = 0; i < n; i++)\n"
                    "    for (int j = 0; j < i; j++)\n      y[i] -= L[i][j] * y[j];\n}\n");
  for (const auto &[file, arguments] : {std::pair<std::string, std::string>{"solve.txt", "deps -f L=csr -F"},
                                        {"f.c", "deps -f L=csr --from"},
                                        {"line.txt", "plan -f A=csr -f B=csr -i A=ones:3x3 -i B=ones:3x3 -F"},
                                        {"mine.layout", "layout check"}}) {
    if (file == "f.c" && !cfront::is_available()) continue;
    const Outcome by_name =
        desk.execute({"sh", "-c", unravel::test::tool_path() + " " + arguments + " " + file});
    const Outcome by_pipe = piped(desk, file, arguments + " /dev/stdin");
    EXPECT_EQ(by_name.code, 0) << by_name.error;
    EXPECT_EQ(by_pipe.code, 0) << arguments << by_pipe.error;
    if (file != "mine.layout") { // which says how long it took
      EXPECT_EQ(by_pipe.out, by_name.out) << arguments;
    }
    EXPECT_EQ(by_pipe.out.find("no such loop order"), std::string::npos) << by_pipe.out;
  }
  EXPECT_NE(piped(desk, "solve.txt", "deps -f L=csr -F -").out.find("wavefronts of i: possible"),
            std::string::npos);
}

TEST(ToolPipe, EntriesOfATensor) {
  const Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 5\n");
  const Outcome made = desk.execute({"sh", "-c",
                                     "mkfifo pipe.mtx; cat a.mtx > pipe.mtx & timeout 20 " +
                                         unravel::test::tool_path() + " convert pipe.mtx b.mtx"});
  EXPECT_EQ(made.code, 0) << made.error;
  EXPECT_NE(desk.read("b.mtx").find("\n1 2 5\n"), std::string::npos);
}

} // namespace
} // namespace unravel::tool::test
