// The small program around a kernel: clean in every compiler, reads files, prints and writes results.
#include "emit/emit.h"
#include "scratch_folder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/wait.h>
#include <tuple>

using namespace unravel;

namespace {

const char *const product_text = R"(kernel product
expression C(i,j) = A(i,k) * B(k,j)
result C : dense<1, 0>(M, N) as dense_matrix_1_0
  value val[C.N, C.M] : float64
operand A : csr(M, N)
  count NNZ
  index rowptr[A.M + 1] : int32 nonnegative
  index col[A.NNZ] : int32 nonnegative
  value val[A.NNZ] : float64
operand B : dense(M, N) as dense_matrix
  value val[B.M, B.N] : float64
require A.N = B.M : the columns of A are the rows of B
require C.M = A.M and C.N = B.N : the sizes agree
{
  zero C.val, C.M*C.N
  for i in 0 .. C.M {
    for p in A.rowptr(i) .. A.rowptr(i + 1) {
      for j in 0 .. C.N {
        C.val[j*C.M + i] += A.val[p] * B.val[A.col(p)*B.N + j]
      }
    }
  }
}
)";

const char *const form_text = R"(kernel form
expression s = A(i,j) * x(j)
result s : dense() as dense_scalar
  value val[1] : float64
operand A : csr(M, N)
  count NNZ
  index rowptr[A.M + 1] : int32 nonnegative
  index col[A.NNZ] : int32 nonnegative
  value val[A.NNZ] : float64
operand x : dense(N) as dense_vector
  value val[x.N] : float64
require A.N = x.N : the sizes agree
{
  s.val[0] = 0
  for i in 0 .. A.M {
    for p in A.rowptr(i) .. A.rowptr(i + 1) {
      s.val[0] += A.val[p] * x.val[A.col(p)]
    }
  }
}
)";

/// The same by way of a workspace.
std::string with_workspace() {
  std::string text = form_text;
  auto replace = [&](const std::string &from, const std::string &to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("kernel form", "kernel form_map");
  replace("{\n",
          "workspace x.map[x.N] : float64 = 0\n{\n  for j in 0 .. x.N {\n    x.map[j] = x.val[j]\n  }\n");
  replace("x.val[A.col(p)]", "x.map[A.col(p)]");
  replace("    }\n  }\n}", "    }\n  }\n  zero x.map, x.N\n}");
  return text;
}

const char *const pack_csr = R"(
int pack_csr(csr *tensor, int64_t n, int64_t *const index[], const double *values, int64_t M, int64_t N) {
  int64_t *next = (int64_t *)calloc((size_t)M + 1, sizeof(*next));
  int64_t e, i;
  tensor->M = M, tensor->N = N, tensor->NNZ = n;
  tensor->rowptr = (int32_t *)calloc((size_t)M + 1, sizeof(*tensor->rowptr));
  tensor->col = (int32_t *)malloc(((size_t)n + 1) * sizeof(*tensor->col));
  tensor->val = (double *)malloc(((size_t)n + 1) * sizeof(*tensor->val));
  for (e = 0; e < n; e++) tensor->rowptr[index[0][e] + 1]++;
  for (i = 0; i < M; i++) tensor->rowptr[i + 1] += tensor->rowptr[i], next[i] = tensor->rowptr[i];
  for (e = 0; e < n; e++) {
    int64_t p = next[index[0][e]]++;
    tensor->col[p] = (int32_t)index[1][e], tensor->val[p] = values[e];
  }
  free(next);
  return 0;
}
void free_csr(csr *tensor) { free(tensor->rowptr), free(tensor->col), free(tensor->val); }
)";

/// Of a dense type: what it sets the sizes to, its number of values, the slot of entry e.
std::string pack_dense(const std::string &type, const std::string &arguments, const std::string &sizes,
                       const std::string &count, const std::string &slot) {
  return "\nint pack_" + type + "(" + type +
         " *tensor, int64_t n, int64_t *const index[], const double *values" + arguments +
         ") {\n  int64_t e;\n  (void)index;\n  " + sizes +
         "\n"
         "  tensor->val = (double *)calloc((size_t)(" +
         count +
         ") + 1, sizeof(*tensor->val));\n"
         "  for (e = 0; e < n; e++) tensor->val[" +
         slot +
         "] += values[e];\n  return 0;\n}\n"
         "void free_" +
         type + "(" + type + " *tensor) { free(tensor->val); }\n";
}

const std::string product_packs =
    pack_csr +
    pack_dense("dense_matrix", ", int64_t M, int64_t N", "tensor->M = M, tensor->N = N;", "M * N",
               "index[0][e] * N + index[1][e]") +
    pack_dense("dense_matrix_1_0", ", int64_t M, int64_t N", "tensor->M = M, tensor->N = N;", "M * N",
               "index[1][e] * M + index[0][e]");
const std::string form_packs =
    pack_csr + pack_dense("dense_vector", ", int64_t N", "tensor->N = N;", "N", "index[0][e]") +
    pack_dense("dense_scalar", "", "", "1", "0");

class MainProgram : public testing::Test {
protected:
  void SetUp() override {
    if (!test::is_installed("gcc")) GTEST_SKIP() << "gcc is not installed";
    folder_.write(
        "A.mtx",
        "%%MatrixMarket matrix coordinate real general\n% a comment\n2 3 3\n1 2 2\n1 3 3.5\n2 1 -4\n");
    folder_.write("S.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n");
    folder_.write("B.mtx", "%%MatrixMarket matrix array integer general\n3 2\n1\n2\n3\n10\n20\n30\n");
  }

  void build(const std::string &text, const std::string &packs) {
    loop::Program program = loop::parse_program(text);
    std::string file = folder_.write("program.c", emit::emit_c(program) + "#include <stdlib.h>\n" + packs +
                                                      emit::emit_main(program));
    ASSERT_EQ(folder_.run("gcc -std=c99 -O1 -fsanitize=undefined,address -Wall -Wextra -pedantic -Werror " +
                          file + " -o " + folder_.path("program")),
              "");
  }

  /// What the program prints, without its time.
  std::string run(const std::string &arguments, const char *environment = "") {
    int status = std::system(
        ("cd " + folder_.path("") + " && " + environment + " ./program " + arguments + " > out 2>&1")
            .c_str());
    std::ifstream file(folder_.path("out"));
    std::string result, line;
    while (std::getline(file, line))
      if (line.find(" ms") == std::string::npos) result += line + "\n";
    return (status == 0 ? "" : WEXITSTATUS(status) == 2 ? "misused\n" : "failed\n") + result;
  }

  std::string read(const std::string &name) {
    std::ifstream file(folder_.path(name));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  test::ScratchFolder folder_;
};

} // namespace

TEST_F(MainProgram, is_clean_in_c_and_cpp_alone_and_behind_the_kernel) {
  int number = 0;
  for (auto [text, packs] : {std::pair<std::string, std::string>(product_text, product_packs),
                             {form_text, form_packs},
                             {with_workspace(), form_packs}}) {
    loop::Program program = loop::parse_program(text);
    emit::MainOptions with_header;
    with_header.with_header = true;
    std::string name = std::to_string(number++);
    folder_.write(emit::kernel_name(program) + ".h", emit::emit_header(program));
    std::string alone = folder_.write(name + "a.c", emit::emit_main(program, with_header));
    std::string behind = folder_.write(name + "b.c", emit::emit_c(program) + "#include <stdlib.h>\n" + packs +
                                                         emit::emit_main(program));
    for (const char *compiler :
         {"gcc -std=c99", "clang-19 -std=c99", "g++ -x c++ -std=c++17", "clang++-19 -x c++ -std=c++17"}) {
      std::string command = compiler;
      if (!test::is_installed(command.substr(0, command.find(' ')))) continue;
      for (const char *openmp : {"", " -fopenmp"})
        for (const std::string &file : number == 1 ? std::vector{alone, behind} : std::vector{behind})
          EXPECT_EQ(folder_.run(command + openmp + " -Wall -Wextra -Wshadow -pedantic -Werror -O1 -c " +
                                file + " -o " + folder_.path("out.o")),
                    "");
    }
  }
}

TEST(StructNames, are_those_of_the_text) {
  auto names = emit::struct_names(loop::parse_program(form_text));
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0].type, "dense_scalar");
  EXPECT_EQ(names[1].type, "csr");
  EXPECT_EQ(names[1].members.at("NNZ"), "NNZ");
}

TEST_F(MainProgram, reads_files_and_writes_the_result) {
  build(product_text, product_packs);
  EXPECT_EQ(run("A=A.mtx B=B.mtx -o C.mtx"), "C: 4 values, sum 115.5, first: 14.5 -4 145 -40\n");
  EXPECT_EQ(read("C.mtx"), "%%MatrixMarket matrix array real general\n2 2\n14.5\n-4\n145\n-40\n");
  EXPECT_EQ(run("A=S.mtx B=B.mtx"), "C: 6 values, sum 66, first: 2 1 3 20 10 30\n");
  EXPECT_EQ(run("A=A.mtx B=ones:3x1"), "C: 2 values, sum 1.5, first: 5.5 -4\n");
}

TEST_F(MainProgram, takes_sizes_from_the_other_operands) {
  build(form_text, form_packs);
  EXPECT_EQ(run("A=A.mtx x=ones"), "s: 1 values, sum 1.5, first: 1.5\n");
  folder_.write("x.mtx", "%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 10\n");
  EXPECT_EQ(run("A=A.mtx x=x.mtx -o s.mtx"), "s: 1 values, sum 20, first: 20\n");
  EXPECT_EQ(read("s.mtx"), "%%MatrixMarket matrix array real general\n1 1\n20\n");
  EXPECT_EQ(run("A=ones x=zeros:3 s=2.5"),
            "failed\nerror: A: a size is not known: give them, as in x=ones:10, y=sizes:10\n");
  EXPECT_EQ(run("A=ones:2x3 x=zeros"), "s: 1 values, sum 0, first: 0\n");
}

TEST_F(MainProgram, makes_and_frees_the_workspace) {
  build(with_workspace(), form_packs);
  EXPECT_EQ(run("A=A.mtx x=ones"), "s: 1 values, sum 1.5, first: 1.5\n");
}

TEST_F(MainProgram, says_what_is_wrong) {
  build(form_text, form_packs);
  // What a program holds when it gives up is no leak.
  auto run = [&](const std::string &arguments) {
    return MainProgram::run(arguments, "ASAN_OPTIONS=detect_leaks=0");
  };
  auto refusal = [&](const std::string &file, const std::string &text) {
    folder_.write(file, text);
    return run("A=" + file + " x=ones");
  };
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(run("A=A.mtx"), "misused\nerror: x: this operand is not given; see --help\n");
  EXPECT_EQ(run("A=none.mtx x=ones"), "failed\nerror: none.mtx: No such file or directory\n");
  EXPECT_EQ(run("A=ones x=ones"),
            "failed\nerror: A: a size is not known: give them, as in x=ones:10, y=sizes:10\n");
  EXPECT_EQ(run("A=A.mtx x=ones:4"), "failed\nerror: form: the tensors' sizes don't fit together\n");
  EXPECT_EQ(run("A=A.mtx y=ones"), "misused\nerror: y=ones: expected TENSOR=FILE or -o FILE; see --help\n");
  EXPECT_EQ(run("A=A.mtx A=A.mtx"), "misused\nerror: A=A.mtx: the tensor is given twice\n");
  EXPECT_EQ(run("A=A.mtx x=ones -o no/s.mtx"),
            "failed\ns: 1 values, sum 1.5, first: 1.5\nerror: no/s.mtx: No such file or directory\n");
  for (const std::string file : {"s.foo", "s.tns", "a.b/s.txt"})
    EXPECT_EQ(run("A=A.mtx x=ones -o " + file),
              "misused\nerror: " + file +
                  ": the name of a file for a result of up to two modes ends in .mtx\n");
  EXPECT_EQ(run("A=A.mtx x=ones -o z=s.mtx"), "misused\nerror: -o z=s.mtx: the result is `s`\n");
  EXPECT_EQ(refusal("a.mtx", "junk\n"), "failed\nerror: a.mtx: this is not a Matrix Market file\n");
  EXPECT_EQ(refusal("a.mtx", head), "failed\nerror: a.mtx: the line with the sizes is missing\n");
  EXPECT_EQ(refusal("a.mtx", head + "2 2 1\n3 1 5\n"),
            "failed\nerror: a.mtx: an entry lies outside of the matrix\n");
  EXPECT_EQ(refusal("a.mtx", head + "2 2 2\n1 1 5\n"),
            "failed\nerror: a.mtx: there are fewer entries than the header says\n");
  EXPECT_EQ(refusal("a.mtx", head + "2 2 1\n1 1\n"), "failed\nerror: a.mtx: a line lacks a value\n");
  EXPECT_EQ(refusal("a.mtx", head + "2 2 99999999999999999999\n1 1 1\n"),
            "failed\nerror: a.mtx: a line lacks an integer of 0 or more\n");
  EXPECT_EQ(
      run("--help"),
      "usage: ./program A=FILE x=FILE [-o FILE]\ns = A(i,j) * x(j)\n"
      "FILE is a .mtx file, from order 3 on a .tns file; or `ones` or `zeros`, with sizes `ones:10x20`;\n"
      "of a scalar also a number.\n"
      "s=FILE sets what the result holds before (s=sizes:10x20: its sizes alone); -o s=FILE writes it.\n");
}

TEST_F(MainProgram, refuses_malformed_files) {
  build(form_text, form_packs);
  const std::string banner = "%%MatrixMarket matrix ", head = banner + "coordinate real general\n",
                    form = "this is not a Matrix Market file",
                    behind = "a line goes on behind what it should have",
                    integer = "a line lacks an integer of 0 or more", value = "a line lacks a value",
                    more = "there are more entries than the header says";
  const std::vector<std::tuple<std::string, std::string, std::string>> files = {
      {"a.tns", "1 1 2 5\n", behind},
      {"a.tns", "1 1.5 2\n", integer},
      {"a.tns", "% no comment\n", integer},
      {"a.tns", "# no entries\n", "a file without entries needs a line as `# shape: 4 5 6`"},
      {"a.mtx", head + "3 3 1\n1 1.7 2\n", integer},
      {"a.mtx", head + "3 3 1\n1 1 1.5junk\n", value},
      {"a.mtx", head + "3 3 1\n1 1 0x10\n", value},
      {"a.mtx", head + "3 3 1\n1 1 1e999\n", "a value is too large for a double"},
      {"a.mtx", head + "3 3 1\n1 1 1 1\n", behind},
      {"a.mtx", head + "3 3 1 7\n1 1 1\n", behind},
      {"a.mtx", head + "3 3 1\n1 1 1\n2 2 1\n", more},
      {"a.mtx", head + "3 3 1\n# no comment\n", integer},
      {"a.mtx", banner + "array real general\n1 2\n1\n2\n3\n", more},
      {"a.mtx", banner + "array real general\n1 2\n1 2\n3\n", behind},
      {"a.mtx", banner + "array pattern general\n1 1\n1\n",
       "a pattern is neither an array nor skew-symmetric"},
      {"a.mtx", banner + "coordinate real symetric\n3 3 1\n1 1 1\n", "the symmetry is unknown"},
      {"a.mtx", banner + "coordinate foo general\n3 3 1\n1 1 1\n", "the type of its values is unknown"},
      {"a.mtx", banner + "coordinate real general too\n3 3 1\n1 1 1\n", form},
      {"a.mtx", "%%MatrixMarket matrixcoordinate real general\n3 3 1\n1 1 1\n", form},
      {"a.mtx", banner + "coordinate real skew-symmetric\n3 3 1\n1 1 1\n",
       "an entry of the diagonal doesn't fit the symmetry"},
      {"a.mtx", banner + "coordinate integer general\n3 3 1\n1 1 1.5\n", "a value isn't an integer"},
      {"a.mtx", banner + "coordinate integer general\n3 3 1\n1 1 9007199254740993\n",
       "an integer isn't exact as a double"}};
  for (const auto &[file, text, message] : files) {
    folder_.write(file, text);
    EXPECT_EQ(run("A=" + file + " x=ones", "ASAN_OPTIONS=detect_leaks=0"),
              "failed\nerror: " + file + ": " + message + "\n")
        << text;
  }
  EXPECT_EQ(run("A=ones:-3x3 x=ones", "ASAN_OPTIONS=detect_leaks=0"),
            "misused\nerror: ones:-3x3: a size is an integer of 0 or more\n");
  folder_.write("a.mtx", "%%MATRIXMARKET Matrix Coordinate Double General\r\n% 5\r\n3 3 2\r\n"
                         " 1\t1 1e-999 \r\n\r\n2 2 +2.5e0\r\n\n");
  EXPECT_EQ(run("A=a.mtx x=ones"), "s: 1 values, sum 2.5, first: 2.5\n");
}

TEST_F(MainProgram, keeps_what_it_cannot_replace) {
  build(product_text, product_packs);
  const auto shell = [&](const std::string &command) { // what is printed needs no file, which has no room
    return std::system(("cd " + folder_.path("") + " && export ASAN_OPTIONS=detect_leaks=0 && " + command +
                        " 2>&1 | cat > /dev/null")
                           .c_str());
  };
  folder_.write("C.mtx", "an earlier result");
  shell("(trap '' XFSZ; ulimit -f 1; ./program A=ones:90x1 B=ones:1x90 -o C.mtx)");
  EXPECT_EQ(read("C.mtx"), "an earlier result");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("C.mtx.part")));
  shell("./program A=ones:1x1 B=ones:1x1 -o C.mtx");
  EXPECT_EQ(read("C.mtx"), "%%MatrixMarket matrix array real general\n1 1\n1\n");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("C.mtx.part")));
  shell("mkfifo pipe && (timeout 20 cat pipe > got & ./program A=ones:1x1 B=ones:1x1 -o pipe; wait)");
  EXPECT_TRUE(std::filesystem::is_fifo(folder_.path("pipe")));
  EXPECT_EQ(read("got"), read("C.mtx"));
  EXPECT_EQ(run("A=A.mtx B=B.mtx -o one.mtx -o other.mtx", "ASAN_OPTIONS=detect_leaks=0"),
            "misused\nerror: other.mtx: the result already goes to another file\n");
}
