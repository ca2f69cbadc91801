// C files for users: they compile without a warning.
#include "places.h"
#include "tool.h"

#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace unravel::tool::test {
namespace {

const std::vector<std::string> strict = {"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c"};

void expect_compiles(const Desk &desk, const std::string &file, const std::vector<std::string> &more) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  std::vector<std::string> command = strict;
  command.insert(command.end(), more.begin(), more.end());
  command.insert(command.end(), {file, "-o", "object.o"});
  Outcome compiled = desk.execute(command);
  EXPECT_EQ(compiled.code, 0) << compiled.error;
  EXPECT_EQ(compiled.error, "");
}

TEST(ToolCompile, AFileAndItsHeader) {
  Desk desk;
  Outcome made = desk.unravel({"compile", spmv, "-f", "A=csr", "-f", "x=sv", "-o", "spmspv.c"});
  EXPECT_EQ(made.code, 0);
  EXPECT_EQ(made.out, "");
  EXPECT_EQ(made.error, "");
  EXPECT_EQ(desk.files(), (std::vector<std::string>{"spmspv.c", "spmspv.h"}));
  EXPECT_NE(desk.read("spmspv.c").find("#include \"spmspv.h\""), std::string::npos);
  EXPECT_NE(desk.read("spmspv.h").find("int spmspv("), std::string::npos);
  expect_compiles(desk, "spmspv.c", {});
  expect_compiles(desk, "spmspv.c", {"-fopenmp"});
  desk.write("user.c", "#include \"spmspv.h\"\n#include \"spmspv.h\"\n"
                       "int use(dense_vector *y, const csr *A, const sv *x, spmspv_workspace *work);\n"
                       "int use(dense_vector *y, const csr *A, const sv *x, spmspv_workspace *work) {\n"
                       "  return spmspv(y, A, x, 0) + spmspv(y, A, x, work);\n}\n");
  expect_compiles(desk, "user.c", {});
}

/// The header is named as the function, whatever the file is called.
TEST(ToolCompile, AFileOfAnotherNameThanItsFunction) {
  Desk desk;
  EXPECT_EQ(desk.unravel({"compile", spmv, "-f", "A=csr", "--name", "foo", "-o", "k.c"}).code, 0);
  EXPECT_EQ(desk.unravel({"compile", spmv, "-f", "A=csr", "-o", "my-kernel.c"}).code, 0);
  EXPECT_EQ(desk.files(), (std::vector<std::string>{"foo.h", "k.c", "my-kernel.c", "my_kernel.h"}));
  EXPECT_NE(desk.read("k.c").find("#include \"foo.h\"\n"), std::string::npos);
  EXPECT_NE(desk.read("foo.h").find("int foo("), std::string::npos);
  expect_compiles(desk, "k.c", {});
  expect_compiles(desk, "my-kernel.c", {});
}

TEST(ToolCompile, OneTextOnStandardOutput) {
  Desk desk;
  Outcome made =
      desk.unravel({"compile", spmv, "-f", "A=dcsr", "--type", "f32", "--index", "int64", "--name", "rows"});
  EXPECT_EQ(made.code, 0);
  EXPECT_NE(made.out.find("int rows("), std::string::npos);
  EXPECT_NE(made.out.find("const int64_t *"), std::string::npos);
  EXPECT_NE(made.out.find("float *"), std::string::npos);
  EXPECT_TRUE(desk.files().empty());
  desk.write("rows.c", made.out);
  expect_compiles(desk, "rows.c", {"-fopenmp"});
}

/// The program around it borrows the arrays; the kernel's text needs nothing else.
TEST(ToolCompile, ResultsWithAnOperandsStructure) {
  Desk desk;
  for (const auto &[name, arguments] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"sddmm.c", {"D(i,j) = S(i,j) * A(i,k) * B(j,k)", "-f", "S=bcsr<2,2>", "-f", "D=like:S"}},
           {"ttm.c", {"D(i,j,r) = A(i,j,k) * U(k,r)", "-f", "A=csf3", "-f", "D=like:A"}}}) {
    std::vector<std::string> command{"compile"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"--main", "-o", name});
    Outcome made = desk.unravel(command);
    EXPECT_EQ(made.code, 0) << made.error;
    expect_compiles(desk, name, {});
    expect_compiles(desk, name, {"-fopenmp"});
  }
}

/// Names of the program around a kernel, of its helpers and of structs are free to be used for sizes, tensors
/// and the kernel.
TEST(ToolCompile, ProgramsWithNamesThatTheirTextUses) {
  Desk desk;
  const std::string solve =
      "size {0}; tensor A(m,m), b(m), x(m); for i in [0,m) {{ let s = b(i); for j in [0,i) "
      "{{ if j + {0} <= i {{ s -= A(i,j)*x(j); }} }} x(i) = s / A(i,i); }}";
  auto expect_program = [&](std::vector<std::string> command) {
    command.insert(command.begin(), "compile");
    command.insert(command.end(), {"--main", "-o", "program.c"});
    Outcome made = desk.unravel(command);
    EXPECT_EQ(made.code, 0) << made.error;
    expect_compiles(desk, "program.c", {"-fopenmp"});
  };
  for (const char *name : {"start", "status", "in", "output", "restrict"})
    expect_program({fmt::format(fmt::runtime(solve), name), "-f", "A=csr", "-s", "wavefront i"});
  for (const char *name : {"start", "in", "count", "k", "omp_get_num_threads"})
    expect_program({fmt::format("{0}(i,j) = A(i,j) * B(i,j)", name), "-f", "A=csr", "-f",
                    fmt::format("{}=like:A", name)});
  for (const char *name : {"start", "pack_csr", "free_csr", "csr", "malloc", "main", "x_tensor"})
    expect_program({"y(i) = A(i,j) * x(j)", "-f", "A=csr", "--name", name});
  expect_program(
      {fmt::format(fmt::runtime(solve), "n"), "-f", "A=csr", "-s", "wavefront i", "--name", "csr"});
  desk.write("own.layout",
             "layout own(i: n, j: values) {\n  index restrict[n + 1], k[A];\n  count A = restrict(n);\n"
             "  value index[A];\n  stored { [status, p] -> [i, j] : i = status and 0 <= status < n and "
             "restrict(status) <= p < restrict(status + 1) and j = k(p) } at index(p);\n"
             "  property restrict(0) = 0;\n  property increasing restrict;\n"
             "  property range k in [0, values);\n  property strictly increasing k within restrict;\n}\n");
  expect_program({"y(i) = A(i,j) * x(j)", "-f", "A=./own.layout:own"});
  // A walk's kernel has helpers of its own.
  expect_program({"y(i) = A(i,j) * x(j)", "-f", "A=csr", "-f", "x=sv"});
}

/// What a line reduces by another operator than + begins with its identity, not with zero.
TEST(ToolCompile, ProgramsBeginWithTheIdentity) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n1 3 4\n3 2 5\n");
  const std::map<std::string, std::string> firsts = {
      {"y(i) min= A(i,j) * x(j) in min.+", "first: 3 inf 6\n"},
      {"y(i) max= A(i,j) * x(j) in max.+", "first: 5 -inf 6\n"},
      {"y(i) *= A(i,j) + x(j)", "first: 15 1 6\n"}};
  for (const auto &[line, first] : firsts) {
    const Outcome made = desk.unravel({"compile", line, "-f", "A=csr", "--main", "-o", "program.c"});
    ASSERT_EQ(made.code, 0) << made.error;
    const Outcome compiled =
        desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "program.c", "-o", "program", "-lm"});
    ASSERT_EQ(compiled.code, 0) << compiled.error;
    const Outcome ran = desk.execute({"./program", "A=a.mtx", "x=ones"});
    ASSERT_EQ(ran.code, 0) << ran.error;
    EXPECT_NE(ran.out.find(first), std::string::npos) << line << "\n" << ran.out;
    if (!line.starts_with("y(i) min=")) continue; // with what the result is given it goes on from there
    const Outcome given = desk.execute({"./program", "A=a.mtx", "x=ones", "y=ones"});
    EXPECT_NE(given.out.find("first: 1 1 1\n"), std::string::npos) << given.out << given.error;
  }
}

/// It writes what is stored, at its place, whatever the structure and the types are; unused slots are no
/// values.
TEST(ToolCompile, ProgramsWriteResultsWithAStructure) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  Desk desk;
  desk.write("s.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 4\n1 1 2\n3 2 5\n2 4 -1\n3 4 1\n");
  desk.write("t.tns", "1 1 1 2\n1 2 3 1\n1 2 1 4\n3 4 2 5\n");
  auto written = [&](std::vector<std::string> command, const std::vector<std::string> &operands) {
    command.insert(command.begin(), "compile");
    command.insert(command.end(), {"--main", "-o", "program.c"});
    Outcome made = desk.unravel(command);
    EXPECT_EQ(made.code, 0) << made.error;
    Outcome compiled =
        desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsanitize=undefined",
                      "-fno-sanitize-recover", "program.c", "-o", "program", "-lm"});
    EXPECT_EQ(compiled.code, 0) << compiled.error;
    std::vector<std::string> run{"./program"};
    run.insert(run.end(), operands.begin(), operands.end());
    Outcome ran = desk.execute(run);
    EXPECT_EQ(ran.code, 0) << ran.error;
    return ran.out.substr(ran.out.find('\n') + 1);
  };
  const std::string head = "%%MatrixMarket matrix coordinate real general\n3 4 4\n";
  const std::vector<std::string> of_sddmm{"S=s.mtx", "A=ones:3x2", "B=ones:4x2", "-o", "d.mtx"};
  for (const char *layout : {"csr", "coo", "dcsc", "ell", "ellr", "hash_matrix<4>"})
    for (const char *type : {"f32", "f64"}) {
      EXPECT_EQ(written({"D(i,j) = S(i,j) * A(i,k) * B(j,k)", "-f", std::string("S=") + layout, "-f",
                         "D=like:S", "--type", type, "--index", "int64"},
                        of_sddmm)
                    .substr(0, 24),
                "D: 4 values, sum 14, fir")
          << layout;
      std::istringstream lines(desk.read("d.mtx").substr(head.size()));
      std::multiset<std::string> entries;
      for (std::string line; std::getline(lines, line);)
        entries.insert(line);
      EXPECT_EQ(desk.read("d.mtx").substr(0, head.size()), head) << layout;
      EXPECT_EQ(entries, (std::multiset<std::string>{"1 1 4", "2 4 -2", "3 2 10", "3 4 2"})) << layout;
    }
  EXPECT_EQ(written({"D(i,j,r) = A(i,j,k) * U(k,r)", "-f", "A=csf3", "-f", "D=like:A"},
                    {"A=t.tns", "U=ones:3x2", "-o", "d.tns"}),
            "D: 6 values, sum 24, first: 2 2 5 5 5 5\n");
  EXPECT_EQ(desk.read("d.tns"), "1 1 1 2\n1 1 2 2\n1 2 1 5\n1 2 2 5\n3 4 1 5\n3 4 2 5\n");
}

/// In layouts that can't be appended to the text has the kernel, the function that packs, and one around
/// both.
TEST(ToolCompile, PackedResults) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  Desk desk;
  desk.write("test.c", R"(#include <stdio.h>
#include "multiply.h"
int main(void) {
  int32_t ptr[] = {0, 2, 2, 3}, col[] = {0, 2, 1};
  double val[] = {1, 2, 3};
  int64_t k;
  csr A = {3, 3, 3, ptr, col, val};
  ellr C = {3, 3, -1, 0, 0, 0};
  int code = multiply(&C, &A, &A);
  printf("%d: %d\n", code, (int)C.W);
  for (k = 0; k < C.W * C.M; k++) printf("%d %g\n", (int)C.col[k], C.val[k]);
  for (k = 0; k < C.M; k++) printf("%d\n", (int)C.len[k]);
  ellr_free(&C);
  C.N = 4;
  printf("%d\n", multiply(&C, &A, &A));
  return 0;
}
)");
  const Outcome made = desk.unravel({"compile", "C(i,j) = A(i,k) * B(k,j)", "-f", "A=csr", "-f", "B=csr",
                                     "-f", "C=ellr", "-o", "multiply.c"});
  ASSERT_EQ(made.code, 0) << made.error;
  for (const std::vector<std::string> &compiler :
       {std::vector<std::string>{"gcc", "-std=c99"}, std::vector<std::string>{"g++", "-x", "c++"}}) {
    std::vector<std::string> command = compiler;
    command.insert(command.end(), {"-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined",
                                   "-fno-sanitize-recover", "multiply.c", "test.c", "-o", "program", "-lm"});
    const Outcome compiled = desk.execute(command);
    ASSERT_EQ(compiled.code, 0) << compiled.error;
    const Outcome ran = desk.execute({"./program"});
    EXPECT_EQ(ran.code, 0) << ran.error;
    // [1 0 2; 0 0 0; 0 3 0] times itself: [1 6 2; 0; 0]
    EXPECT_EQ(ran.out, "0: 3\n0 1\n0 0\n0 0\n1 6\n0 0\n0 0\n2 2\n0 0\n0 0\n3\n0\n0\n1\n");
  }
  const Outcome alone = desk.unravel(
      {"compile", "C(i,j) = 2 * A(i,j)", "-f", "A=csr", "-f", "C=hash_matrix<8>", "--type", "f32"});
  EXPECT_EQ(alone.code, 0) << alone.error;
  desk.write("alone.c", alone.out);
  const Outcome compiled =
      desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-c", "alone.c"});
  EXPECT_EQ(compiled.code, 0) << compiled.error;
  const Outcome refused =
      desk.unravel({"compile", "C(i,j) = A(i,k) * A(j,k)", "-f", "A=csr", "-f", "C=symmetric_csr"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.error.find("it has several pieces [cannot-append]"), std::string::npos) << refused.error;
}

/// Entries that are listed several times are added up before zeros are dropped; those that find no slot of
/// `hyb` are listed.
TEST(ToolCompile, PackedResultsWithoutZeros) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  Desk desk;
  desk.write("test.c", R"(#include <stdio.h>
#include "subtract.h"
int main(void) {
  int32_t ptr[] = {0, 3, 3, 4}, col[] = {0, 1, 2, 2}, ptr_2[] = {0, 1, 1, 2}, col_2[] = {0, 1};
  double val[] = {9, 2, 3, 4}, val_2[] = {2, -1};
  csr A = {3, 3, 4, ptr, col, val}, B = {3, 3, 2, ptr_2, col_2, val_2};
  hyb_1 C = {3, 3, -1, 0, 0, 0, 0, 0};
  int code = subtract(&C, &A, &B);
  printf("%d: %d\n", code, (int)C.NNZ);
  for (int r = 0; r < 3; r++) printf("%d %g\n", (int)C.slotcol[r], C.slotval[r]);
  for (int p = 0; p < C.NNZ; p++) printf("%d %d %g\n", (int)C.row[p], (int)C.col[p], C.val[p]);
  hyb_1_free(&C);
  return 0;
}
)");
  for (const bool drops : {true, false}) {
    std::vector<std::string> command = {
        "compile",   "C(i,j) = A(i,j+1) - B(i,j)", "-f", "A=csr", "-f", "B=csr", "-f", "C=hyb<1>", "-o",
        "subtract.c"};
    if (drops) command.insert(command.end(), {"-s", "drop zeros"});
    const Outcome made = desk.unravel(command);
    ASSERT_EQ(made.code, 0) << made.error;
    const Outcome compiled =
        desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined",
                      "-fno-sanitize-recover", "subtract.c", "test.c", "-o", "program", "-lm"});
    ASSERT_EQ(compiled.code, 0) << compiled.error;
    const Outcome ran = desk.execute({"./program"});
    EXPECT_EQ(ran.code, 0) << ran.error;
    // [2 3 0; 0 0 0; 0 4 0] - [2 0 0; 0 0 0; 0 -1 0]
    EXPECT_EQ(ran.out, drops ? "0: 0\n1 3\n-1 0\n1 5\n" : "0: 1\n0 0\n-1 0\n1 5\n0 1 3\n");
  }
}

/// A result that the kernel assembles is written as it is stored, and what the program took is freed.
TEST(ToolCompile, ProgramsWriteWhatTheyAssemble) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  Desk desk;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 4\n1 1 2\n3 2 5\n2 4 -1\n3 4 1\n");
  desk.write("b.mtx", "%%MatrixMarket matrix coordinate real general\n4 2 3\n1 2 3\n2 1 7\n4 1 -35\n");
  desk.write("none.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 0\n");
  const std::string head = "%%MatrixMarket matrix coordinate real general\n3 2 ";
  for (const char *layout : {"csr", "csr4", "csc", "dcsr", "coo", "coo_unsorted", "bcsr<2,2>"})
    for (const std::string variant : {"f32", "f64", "reuse"}) {
      if (variant == "reuse" && layout == std::string("csr4")) continue; // its segments may overlap
      std::vector<std::string> command = {
          "compile", "C(i,j) = A(i,k) * B(k,j)", "-f",     "A=csr", "-f",       "B=csc",
          "-f",      std::string("C=") + layout, "--main", "-o",    "program.c"};
      command.insert(command.end(), {variant == "reuse" ? "-s" : "--type", variant});
      const Outcome made = desk.unravel(command);
      EXPECT_EQ(made.code, 0) << made.error;
      const Outcome compiled = desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror",
                                             "-fsanitize=address,undefined", "-fno-sanitize-recover",
                                             "program.c", "-o", "program", "-lm"});
      EXPECT_EQ(compiled.code, 0) << compiled.error;
      Outcome ran = desk.execute({"./program", "A=a.mtx", "B=b.mtx", "-o", "c.mtx"});
      EXPECT_EQ(ran.code, 0) << ran.error;
      std::istringstream lines(desk.read("c.mtx").substr(head.size()));
      std::multiset<std::string> entries;
      std::string count;
      std::getline(lines, count);
      for (std::string line; std::getline(lines, line);)
        if (!line.ends_with(" 0") || line == "3 1 0") entries.insert(line); // padding of blocks
      EXPECT_EQ(desk.read("c.mtx").substr(0, head.size()), head) << layout;
      EXPECT_EQ(entries, (std::multiset<std::string>{"1 2 6", "2 1 35", "3 1 0"})) << layout;
      ran = desk.execute({"./program", "A=none.mtx", "B=b.mtx", "-o", "c.mtx"});
      EXPECT_EQ(ran.code, 0) << ran.error;
      EXPECT_EQ(desk.read("c.mtx"), head + "0\n");
    }
}

/// The line in which a .tns file says its shape, as in `run`.
TEST(ToolCompile, ProgramsReadTheShapeOfATensor) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  Desk desk;
  ASSERT_EQ(
      desk.unravel({"compile", "y(i,j) = T(i,j,k) * v(k)", "-f", "T=csf3", "--main", "-o", "program.c"}).code,
      0);
  Outcome compiled = desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror",
                                   "-fsanitize=undefined", "program.c", "-o", "program", "-lm"});
  EXPECT_EQ(compiled.code, 0) << compiled.error;
  const std::string entries = "1 1 1 2\n2 1 2 3\n";
  auto run = [&](const std::string &text, const std::string &v = "v=ones:5") {
    desk.write("t.tns", text);
    Outcome ran = desk.execute({"./program", "T=t.tns", v});
    EXPECT_EQ(ran.code, ran.error.empty() ? 0 : 1);
    return ran.out.substr(ran.out.find('\n') + 1) + ran.error;
  };
  EXPECT_EQ(run("# shape: 3 4 5\n" + entries), "y: 12 values, sum 5, first: 2 0 0 0 3 0 0 0\n");
  EXPECT_EQ(run("# shapes\n\n# shape: 3 1 5 # as it is\n" + entries), "y: 3 values, sum 5, first: 2 3 0\n");
  EXPECT_EQ(run("# shape: 3 4 5\n", "v=ones"), "y: 12 values, sum 0, first: 0 0 0 0 0 0 0 0\n");
  EXPECT_EQ(run(entries, "v=ones:2"), "y: 2 values, sum 5, first: 2 3\n");
  EXPECT_EQ(run(entries + "# shape: 3 4 5\n", "v=ones:2"), "y: 2 values, sum 5, first: 2 3\n");
  EXPECT_EQ(run("# shape: 3 4 1\n" + entries), "error: t.tns: an entry lies outside of the tensor\n");
  EXPECT_EQ(run("# shape: 3 4 5 6\n" + entries), "error: t.tns: the shape doesn't fit the tensor\n");
  EXPECT_EQ(run("# shape: 3 4\n" + entries), "error: t.tns: a line lacks an integer of 0 or more\n");
}

/// As `run` takes it.
TEST(ToolCompile, ProgramsTakeTheResultsNameWithItsFile) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  Desk desk;
  ASSERT_EQ(desk.unravel({"compile", spmv, "--main", "-o", "program.c"}).code, 0);
  Outcome compiled = desk.execute(
      {"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "program.c", "-o", "program", "-lm"});
  EXPECT_EQ(compiled.code, 0) << compiled.error;
  EXPECT_EQ(desk.execute({"./program", "A=ones:2x3", "x=ones", "-o", "y=y.mtx"}).code, 0);
  EXPECT_EQ(desk.read("y.mtx"), "%%MatrixMarket matrix array real general\n2 1\n3\n3\n");
  const Outcome other = desk.execute({"./program", "A=ones:2x3", "x=ones", "-o", "x=y.mtx"});
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.error, "error: -o x=y.mtx: the result is `y`\n");
  EXPECT_EQ(desk.execute({"./program", "A=ones:2x3", "x=ones", "-o", "./x=y.mtx"}).code, 0); // a file's name
  EXPECT_EQ(desk.files(), (std::vector<std::string>{"program", "program.c", "x=y.mtx", "y.mtx"}));
}

/// y(j + 2) has two elements more than A has columns, and an extent that a program declares is a sum.
TEST(ToolCompile, ProgramsFindSizesThatFollow) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  Desk desk;
  const auto output = [&](const std::string &text, const std::vector<std::string> &arguments) {
    EXPECT_EQ(desk.unravel({"compile", text, "-f", "A=csr", "--main", "-o", "program.c"}).code, 0) << text;
    const Outcome compiled = desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror",
                                           "-fsanitize=undefined", "program.c", "-o", "program", "-lm"});
    EXPECT_EQ(compiled.code, 0) << compiled.error;
    std::vector<std::string> run{"./program"};
    run.insert(run.end(), arguments.begin(), arguments.end());
    const Outcome ran = desk.execute(run);
    EXPECT_EQ(ran.code, 0) << ran.error;
    return ran.out.substr(ran.out.find('\n') + 1);
  };
  EXPECT_EQ(output("y(j+2,l) = A(l,j)", {"A=ones:2x3"}), "y: 10 values, sum 6, first: 0 0 0 0 1 1 1 1\n");
  EXPECT_EQ(output("y(j-2) = A(l,j)", {"A=ones:2x3"}), "y: 1 values, sum 2, first: 2\n");
  EXPECT_EQ(output("y(j-5) = A(l,j)", {"A=ones:2x3"}), "y: 0 values, sum 0, first:\n");
  EXPECT_EQ(output("size k; tensor A(m, n), y(n + 2*k + 1); for i in [0, m) { for j in [0, n) { "
                   "y(j + 2*k) += A(i,j); } }",
                   {"A=ones:2x3", "k=1"}),
            "y: 6 values, sum 6, first: 0 0 2 2 2 0\n");
}

/// Two layouts of one name, in one program of the user's, who has a `csr` of their own, too.
TEST(ToolCompile, NamesThatDontCollide) {
  Desk desk;
  desk.write("own.layout",
             "layout csr(i: M, j: N) {\n  index ptr[M + 1], idx[NNZ];\n  count NNZ = ptr(M);\n"
             "  value a[NNZ];\n  stored { [r, p] -> [i, j] : i = r and 0 <= r < M and ptr(r) <= p < "
             "ptr(r + 1) and j = idx(p) } at a(p);\n  property ptr(0) = 0;\n"
             "  property increasing ptr;\n  property range idx in [0, N);\n}\n");
  for (const auto &[layout, prefix] : {std::pair{"csr", "my_"}, std::pair{"own.layout", "their_"}})
    ASSERT_EQ(
        desk.unravel({"compile", spmv, "-f", std::string("A=") + layout, "-f", "x=sv", "--find", "x=map",
                      "--prefix", prefix, "-o", std::string(prefix) + "spmv.c", "--name", "spmv"})
            .code,
        0);
  EXPECT_EQ(desk.files(), (std::vector<std::string>{"my_spmv.c", "my_spmv.h", "own.layout", "their_spmv.c",
                                                    "their_spmv.h"}));
  desk.write("user.c",
             "typedef struct csr { int rows; } csr;\ntypedef int dense_vector;\nint kernel, spmv;\n"
             "#include \"my_spmv.h\"\n#include \"their_spmv.h\"\n"
             "int use(my_dense_vector *y, const my_csr *A, const my_sv *x, my_spmv_workspace *work,\n"
             "        their_dense_vector *z, const their_csr *B, const their_sv *v);\n"
             "int use(my_dense_vector *y, const my_csr *A, const my_sv *x, my_spmv_workspace *work,\n"
             "        their_dense_vector *z, const their_csr *B, const their_sv *v) {\n"
             "  return my_spmv(y, A, x, work) + their_spmv(z, B, v, 0);\n}\n");
  for (const char *file : {"user.c", "my_spmv.c", "their_spmv.c"})
    expect_compiles(desk, file, {"-fopenmp"});
  const Outcome wrong = desk.unravel({"compile", spmv, "--prefix", "a-b", "-o", "k.c"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.error.find("--prefix: a C name that begins with a letter and has no `__` is expected"),
            std::string::npos)
      << wrong.error;
}

/// Results that the kernel lists, and that C text packs, have the prefix, too.
TEST(ToolCompile, PrefixesOfPackedAndReusedResults) {
  Desk desk;
  using Case = std::array<std::string, 3>;
  for (const auto &[layout, schedule, function] :
       {Case{"ell", "serial", "my_k"}, Case{"csr", "reuse", "my_k_structure"}}) {
    ASSERT_EQ(desk.unravel({"compile", "C(i,j) = A(i,k) * B(k,j)", "-f", "A=csr", "-f", "B=csr", "-f",
                            "C=" + layout, "-s", schedule, "--prefix", "my_", "--const", "-o", "k.c"})
                  .code,
              0)
        << layout;
    const std::string header = desk.read(function + ".h");
    EXPECT_NE(header.find("} my_" + layout + ";"), std::string::npos) << header;
    EXPECT_NE(header.find("} my_const_csr;"), std::string::npos) << header;
    EXPECT_NE(header.find("int " + function + "("), std::string::npos) << header;
    expect_compiles(desk, "k.c", {});
  }
}

/// Arrays that the user has as const fit into the structs of operands, in C and in C++.
TEST(ToolCompile, ConstArraysOfOperands) {
  Desk desk;
  ASSERT_EQ(desk.unravel({"compile", "y(i) = A(i,j) * x(j)", "-f", "A=csr", "--const", "-o", "spmv.c"}).code,
            0);
  desk.write("user.c",
             "#include \"spmv.h\"\n"
             "int use(const int32_t *rowptr, const int32_t *col, const double *val, const double *x, "
             "double *y);\n"
             "int use(const int32_t *rowptr, const int32_t *col, const double *val, const double *x, "
             "double *y) {\n"
             "  const_csr A = {2, 2, 3, rowptr, col, val};\n  const_dense_vector from = {2, x};\n"
             "  dense_vector to = {2, y};\n  return spmv(&to, &A, &from);\n}\n");
  for (const char *file : {"user.c", "spmv.c"}) {
    expect_compiles(desk, file, {"-Wcast-qual"});
    if (has_program("g++")) {
      EXPECT_EQ(desk.execute({"g++", "-Wall", "-Wextra", "-Werror", "-c", file, "-o", "object.o"}).error, "");
    }
  }
  const Outcome both = desk.unravel({"compile", spmv, "--const", "--main", "-o", "k.c"});
  EXPECT_EQ(both.code, 2);
}

/// A kernel would read outside of the layout's array; `run` looks at the data first.
TEST(ToolCompile, AccessesThatArentProvedAreRefused) {
  Desk desk;
  desk.write("ahead.layout", "layout ahead(i: M) {\n  index idx[K];\n  count K;\n  value val[K];\n"
                             "  stored { [p] -> [i] : 0 <= p < K and i = idx(p + 1) } at val(p);\n"
                             "  property range idx in [0, M);\n}\n");
  const std::vector<std::string> compile{"compile", "y(i) = x(i)", "-f", "x=ahead.layout"};
  Outcome refused = desk.unravel(compile);
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.error.find("ahead.layout:5:44: error: `idx(p + 1)` may lie outside `idx`: "), 0u)
      << refused.error;
  EXPECT_NE(refused.error.find("[argument-range]"), std::string::npos) << refused.error;
  std::vector<std::string> trusted = compile;
  trusted.push_back("--trust");
  Outcome made = desk.unravel(trusted);
  EXPECT_EQ(made.code, 0);
  EXPECT_NE(made.out.find("int kernel("), std::string::npos);
  EXPECT_EQ(made.error.find("ahead.layout:5:44: warning: "), 0u) << made.error;
}

TEST(ToolCompile, EmitC) {
  Desk desk;
  Outcome run = desk.unravel(
      {"run", spmv, "-f", "A=coo", "-i", "A=random:5x5,density=0.5", "-i", "x=ones", "--emit-c", "kernel.c"});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(desk.files(), std::vector<std::string>{"kernel.c"});
  expect_compiles(desk, "kernel.c", {});
}

TEST(ToolCompile, BlocksOfAUsersLayout) {
  Desk desk;
  const std::string blocks = unravel::test::source_folder() + "/test/layouts/pieces.layout:bcsr";
  for (const std::string parameters : {"<2,3>", "<1,1>", ":4,4"}) {
    Outcome made = desk.unravel({"compile", spmv, "-f", "A=" + blocks + parameters, "-o", "blocks.c"});
    EXPECT_EQ(made.code, 0) << made.error;
    expect_compiles(desk, "blocks.c", {"-fopenmp"});
  }
}

TEST(ToolCompile, FactsForPrograms) {
  Desk desk;
  nlohmann::json facts = desk.unravel({"compile", spmv, "-f", "A=csr", "-o", "spmv.c", "--json"}).json();
  EXPECT_EQ(facts.at("expression"), spmv);
  EXPECT_EQ(facts.at("function"), "spmv");
  EXPECT_EQ(facts.at("loops").size(), 2u);
  EXPECT_EQ(facts.at("finds").size(), 0u);
  EXPECT_GT(facts.at("times_ms").at("compile").get<double>(), 0);
  EXPECT_NE(facts.at("c").get<std::string>().find("int spmv("), std::string::npos);
}

/// Nothing half-written: neither the C file nor the header where the folder isn't there.
TEST(ToolCompile, NoSuchFolder) {
  Desk desk;
  Outcome made = desk.unravel({"compile", spmv, "-f", "A=csr", "-o", "no/spmv.c"});
  EXPECT_EQ(made.code, 1);
  EXPECT_NE(made.error.find("[cannot-write]"), std::string::npos) << made.error;
  EXPECT_TRUE(desk.files().empty());
}

/// The number of slices is a sum: the chunk is a share of all of it.
TEST(ToolCompile, ChunksOfSlices) {
  Desk desk;
  Outcome outcome = desk.unravel({"compile", spmv, "-f", "A=sell<8>"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("1 + 32768 * (unravel_floor_divide(M - 1, 8) + 1) / (8 * A->NQ + "),
            std::string::npos)
      << outcome.out;
}

} // namespace
} // namespace unravel::tool::test
