// Folders of arrays: layout.json says in which layout they are, and no other is taken for it.
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

void expect_refused(const Desk &desc, const std::vector<std::string> &arguments, const std::string &message) {
  Outcome outcome = desc.unravel(arguments);
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_EQ(outcome.error, message);
}

std::string refusal(const std::string &folder, const std::string &named, const std::string &asked,
                    const std::string &tensor) {
  return folder + ": error: these arrays are in layout `" + named + "`, as layout.json says, and not in `" +
         asked + "` [bad-array-folder]\n  hint: leave out `-f " + tensor +
         "=...`; `unravel convert` puts them into another layout\n";
}

const std::string matrix = "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n1 2 2\n2 2 3\n";

TEST(ToolFolder, AnotherOrderOfModes) {
  Desk desk;
  desk.write("B.mtx", matrix);
  EXPECT_EQ(desk.unravel({"convert", "B.mtx", "columns", "-f", "dense<1,0>"}).code, 0);
  EXPECT_EQ(desk.unravel({"convert", "B.mtx", "rows", "-f", "dense<0,1>"}).code, 0);
  const std::vector<std::string> product{"run", "y(i) = B(i,j)*x(j)", "-i", "x=ones", "-o", "y=y.mtx"};
  auto with = [&](const std::string &folder, const std::string &layout) {
    std::vector<std::string> arguments = product;
    arguments.insert(arguments.end(), {"-i", "B=" + folder});
    if (!layout.empty()) arguments.insert(arguments.end(), {"-f", "B=" + layout});
    return arguments;
  };
  expect_refused(desk, with("columns", "dense"), refusal("columns", "dense<1, 0>", "dense", "B"));
  expect_refused(desk, with("rows", "dense<1,0>"), refusal("rows", "dense<0, 1>", "dense<1,0>", "B"));
  for (const auto &[folder, layout] :
       std::vector<std::pair<std::string, std::string>>{{"columns", ""},
                                                        {"columns", "dense<1,0>"},
                                                        {"rows", ""},
                                                        {"rows", "dense"},
                                                        {"rows", "dense<0,1>"}}) {
    EXPECT_EQ(desk.unravel(with(folder, layout)).code, 0) << folder << layout;
    EXPECT_EQ(desk.read("y.mtx"), "%%MatrixMarket matrix array real general\n2 1\n3\n3\n")
        << folder << layout;
  }
  EXPECT_EQ(desk.unravel({"convert", "random:3x3x3,density=0.4", "T", "-f", "csf<2,1,0>"}).code, 0);
  expect_refused(desk, {"run", "s = T(i,j,k)", "-f", "T=csf", "-i", "T=T"},
                 refusal("T", "csf<2, 1, 0>", "csf", "T"));
}

TEST(ToolFolder, AnotherLayoutOfTheSameArrays) {
  Desk desk;
  desk.write("B.mtx", matrix);
  // The columns from right to left.
  desk.write("mine.layout",
             "layout csr_mirror(i: M, j: N) {\n"
             "  index rowptr[M + 1], col[NNZ];\n  count NNZ = rowptr(M);\n  value val[NNZ];\n"
             "  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and rowptr(r) <= p < rowptr(r + 1) "
             "and j = N - 1 - col(p) } at val(p);\n"
             "  property increasing rowptr;\n  property rowptr(0) = 0;\n"
             "  property range col in [0, N);\n"
             "  property strictly increasing col within rowptr;\n}\n");
  EXPECT_EQ(desk.unravel({"convert", "B.mtx", "rows", "-f", "csr"}).code, 0);
  EXPECT_EQ(desk.unravel({"convert", "B.mtx", "mirrored", "-f", "mine.layout:csr_mirror"}).code, 0);
  const std::vector<std::string> product{"run", "y(i) = B(i,j)*x(j)", "-i", "x=ones", "-o", "y=y.mtx"};
  auto with = [&](const std::string &folder, const std::string &layout) {
    std::vector<std::string> arguments = product;
    arguments.insert(arguments.end(), {"-i", "B=" + folder, "-f", "B=" + layout});
    return arguments;
  };
  expect_refused(desk, with("rows", "mine.layout:csr_mirror"),
                 refusal("rows", "csr", "mine.layout:csr_mirror", "B"));
  expect_refused(desk, with("rows", "csc"), refusal("rows", "csr", "csc", "B"));
  expect_refused(desk, with("mirrored", "csr"), refusal("mirrored", "csr_mirror", "csr", "B"));
  EXPECT_EQ(desk.unravel(with("mirrored", "mine.layout:csr_mirror")).code, 0);
  EXPECT_EQ(desk.unravel({"convert", "B.mtx", "blocks", "-f", "bcsr<2,2>"}).code, 0);
  expect_refused(desk, with("blocks", "bcsr<2,1>"), refusal("blocks", "bcsr<2, 2>", "bcsr<2,1>", "B"));
}

} // namespace
} // namespace unravel::tool::test
