// --from: a function in C in place of an expression.
#include "cfront/cfront.h"
#include "places.h"
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

#define SKIP_WITHOUT_CLANG()                                                                                 \
  if (!cfront::is_available()) GTEST_SKIP() << "configured without Clang (UNRAVEL_JIT=OFF)"

const std::string c = R"(#include <stddef.h>

void spmv(size_t n, size_t m, const double A[n][m], const double *x, double y[n]) {
  for (size_t i = 0; i < n; i++) {
    y[i] = 0;
    for (size_t j = 0; j < m; j++)
      y[i] += A[i][j] * x[j];
  }
}

void half(int n, float x[n]) {
  for (int i = 0; i < n; i++) x[i] *= 0.5f;
}
)";

TEST(ToolFrom, ExplainShowsTheProgram) {
  SKIP_WITHOUT_CLANG();
  Desk desk;
  desk.write("k.c", c);
  Outcome outcome = desk.unravel({"explain", "--from", "k.c:spmv", "-f", "A=csr", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.error << outcome.out;
  EXPECT_EQ(outcome.json().at("stages").at(0).at("name"), "program");
  EXPECT_EQ(outcome.json().at("stages").at(0).at("text"), "tensor A(n, m), x(m), y(n);\n"
                                                          "for i in [0, n) {\n"
                                                          "  y(i) = 0;\n"
                                                          "  for j in [0, m) {\n"
                                                          "    y(i) += A(i, j) * x(j);\n"
                                                          "  }\n"
                                                          "}\n");
}

/// A quotient and the old value in one new value.
TEST(ToolFrom, RelaxationByAQuotient) {
  SKIP_WITHOUT_CLANG();
  Desk desk;
  desk.write("sor.c", R"(void sor(int n, const double A[n][n], const double *b, double *x, double omega) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++)
      if (j != i) s += A[i][j] * x[j];
    x[i] = x[i] + omega * ((b[i] - s) / A[i][i] - x[i]);
  }
}
)");
  Outcome outcome = desk.unravel({"run", "--from", "sor.c:sor", "-i", "A=random:9x9,density=1", "-i",
                                  "b=random", "-i", "x=random", "-i", "omega=1.25", "--check", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.error << outcome.out;
  EXPECT_TRUE(outcome.json().at("check").at("ok"));
  // Quotients that read it by different divisors are one value.
  desk.write("two.c", "void two(int n, const double *a, const double *b, double *x) {\n"
                      "  for (int i = 0; i < n; i++) x[i] = x[i] / a[i] + x[i] / b[i];\n}\n");
  outcome = desk.unravel(
      {"run", "--from", "two.c:two", "-i", "a=ones:1", "-i", "b=random:1", "-i", "x=ones:1", "--check"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

TEST(ToolFrom, KernelsAreMade) {
  SKIP_WITHOUT_CLANG();
  Desk desk;
  desk.write("k.c", c);
  Outcome outcome = desk.unravel({"compile", "--from", "k.c:spmv", "-f", "A=csr"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("A_rowptr[i + 1]"), std::string::npos) << outcome.out;
  EXPECT_EQ(desk.unravel({"deps", "--from", "k.c:spmv", "-f", "A=csr"}).code, 0);
  outcome = desk.unravel({"compile", "--from", "k.c:half", "--type", "f32"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("float *"), std::string::npos) << outcome.out;
}

TEST(ToolFrom, KernelsComputeWhatTheProgramSays) {
  SKIP_WITHOUT_CLANG();
  Desk desk;
  desk.write("k.c", c + R"(
void gemv(int n, int m, double alpha, double beta, const double *A, const double *x, double *y) {
  int i, j;
  for (i = 0; i < n; i++) {
    y[i] = beta * y[i];
    for (j = 0; j < m; j++)
      y[i] = y[i] + alpha * A[i * m + j] * x[j];
  }
}

void backward(int n, const double U[n][n], const double b[n], double x[n]) {
  for (int i = n - 1; i >= 0; i--) {
    double s = b[i];
    for (int j = i + 1; j < n; j++)
      s -= U[i][j] * x[j];
    x[i] = s / U[i][i];
  }
}

void band(int n, const double A[n][n], const double x[n], double y[n]) {
  for (int i = 0; i < n; i++)
    for (int j = i > 3 ? i - 3 : 0; j < n && j <= i + 3; j++)
      y[i] += A[i][j] * x[j];
}

void dot(size_t n, const double *x, const double *y, double *s) {
  *s = 0;
  for (size_t i = 0; i < n; i++) *s += x[i] * y[i];
}
)");
  const std::string random = "A=random:40x30,density=0.2", square = "A=random:40x40,density=0.2";
  const std::vector<std::vector<std::string>> requests = {
      {"k.c:spmv", "-f", "A=csr", "-i", random, "-i", "x=random"},
      {"k.c:gemv", "-f", "A=csr", "-i", random, "-i", "x=random", "-i", "y=random", "-i", "alpha=2", "-i",
       "beta=3"},
      {"k.c:backward", "-f", "U=csr", "-i", "U=banded:30,width=4", "-i", "b=random"},
      {"k.c:band", "-f", "A=csr", "-i", square, "-i", "x=random", "-i", "y=ones"},
      {"k.c:dot", "-f", "x=sv", "-i", "x=random:50,density=0.2", "-i", "y=random"},
  };
  for (std::vector<std::string> request : requests) {
    const std::string name = request.front();
    request.insert(request.begin(), {"run", "--check", "--json", "--from"});
    Outcome outcome = desk.unravel(request);
    ASSERT_EQ(outcome.code, 0) << name << "\n" << outcome.error << outcome.out;
    EXPECT_TRUE(outcome.json().at("check").at("ok")) << name;
  }
}

TEST(ToolFrom, InfinityIsANumber) {
  SKIP_WITHOUT_CLANG();
  Desk desk;
  desk.write("k.c", R"(#include <math.h>
void parts(int n, const double x[n], double y[n]) {
  for (int i = 0; i < n; i++) y[i] = fmax(-INFINITY, x[i]) + (x[i] > 3 ? INFINITY : 1.0);
}
)");
  desk.write("x.mtx", "%%MatrixMarket matrix array real general\n3 1\n-2\n4\n0.5\n");
  const Outcome made = desk.unravel({"run", "--from", "k.c:parts", "-i", "x=x.mtx", "-o", "y=y.txt", "--check"});
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_EQ(desk.read("y.txt"), "-1\ninf\n1.5\n");
}

/// No number is less than NaN or equal to it, in C as here.
TEST(ToolFrom, NanIsANumber) {
  SKIP_WITHOUT_CLANG();
  Desk desk;
  desk.write("k.c", R"(#include <math.h>
void positive(int n, const double x[n], double y[n]) {
  for (int i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : NAN;
}
void known(int n, const double x[n], double *s) {
  *s = 0;
  for (int i = 0; i < n; i++) *s += x[i] < NAN ? 1 : x[i] != NAN ? 10 : 100;
}
)");
  desk.write("x.mtx", "%%MatrixMarket matrix array real general\n3 1\n-2\n4\n0.5\n");
  const Outcome made =
      desk.unravel({"run", "--from", "k.c:positive", "-i", "x=x.mtx", "-o", "y=y.txt", "--check"});
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_EQ(desk.read("y.txt"), "nan\n4\n0.5\n");
  const Outcome known = desk.unravel({"run", "--from", "k.c:known", "-i", "x=x.mtx", "--check"});
  ASSERT_EQ(known.code, 0) << known.error;
  EXPECT_NE(known.out.find("s = 30"), std::string::npos) << known.out;
  const Outcome line = desk.unravel(
      {"run", "y(i) = select(x(i) > 0, x(i), nan)", "-i", "x=x.mtx", "-o", "y=y.txt", "--check"});
  ASSERT_EQ(line.code, 0) << line.error;
  EXPECT_EQ(desk.read("y.txt"), "nan\n4\n0.5\n");
}

struct Wrong {
  std::vector<std::string> arguments;
  int code;
  std::string message;
};

TEST(ToolFrom, WrongRequests) {
  SKIP_WITHOUT_CLANG();
  Desk desk;
  desk.write("k.c", c);
  desk.write("bad.c", "void f(double *x) {\n  x[0] = y;\n}\n");
  desk.write("bad.h", "double y\nint;\n");
  desk.write("includes.c", "#include \"bad.h\"\nvoid f(double *x) { x[0] = 1; }\n");
  desk.write("loop.c", "void f(double *x) {\n  while (1)\n    x[0] = 1;\n}\n");
  desk.write("empty.c", "int n;\n");
  const std::vector<Wrong> all = {
      {{"k.c:spvm"},
       1,
       "k.c: error: the file defines no function `spvm` [unknown-function]\n"
       "  hint: did you mean `spmv`?\n"},
      {{"k.c:spm"},
       1,
       "k.c: error: the file defines no function `spm` [unknown-function]\n"
       "  hint: did you mean `spmv`?\n"},
      {{"k.c"},
       1,
       "k.c: error: the file defines several functions: `spmv`, `half` [unknown-function]\n"
       "  hint: name one: --from k.c:spmv\n"},
      {{"empty.c"}, 1, "empty.c: error: the file defines no function [unknown-function]\n"},
      {{"k.c:"},
       2,
       "error: `--from k.c:`: the name of a function is expected after `:` [bad-option]\n"
       "  hint: as in --from file.c:function\n"},
      {{"none.c:f"}, 1, "none.c: error: cannot read: No such file or directory [cannot-read]\n"},
      {{"k.c:spmv", "y = x"},
       2,
       "error: both an expression and `--from k.c:spmv` are given [bad-option]\n"
       "  hint: leave one of them out\n"},
      {{"k.c:half"},
       2,
       "error: `half` computes with `float`, the kernel with f64 [bad-option]\n"
       "  hint: add --type f32\n"},
      {{"k.c:spmv", "--type", "f32"},
       2,
       "error: `spmv` computes with `double`, the kernel with f32 [bad-option]\n"
       "  hint: leave out --type f32\n"},
      {{"k.c:spmv", "-f", "B=csr"},
       1,
       "error: `-f B=csr`: the expression has no tensor `B` [unknown-tensor]\n"
       "  hint: it has `y`, `A`, `x`\n"},
      {{"bad.c"},
       1,
       "bad.c:2:10: error: use of undeclared identifier 'y' [c-error]\n"
       "  2 |   x[0] = y;\n"
       "    |          ^\n"},
      {{"includes.c"}, 1, "./bad.h:1:9: error: expected ';' after top level declarator [c-error]\n"},
      {{"loop.c"},
       1,
       "loop.c:2:3: error: a `while` loop is not supported [c-subset]\n"
       "  2 |   while (1)\n"
       "    |   ^~~~~~~~~\n"
       "  hint: write `for (int i = 0; i < n; i++)`\n"},
  };
  for (Wrong wrong : all) {
    wrong.arguments.insert(wrong.arguments.begin(), {"compile", "--from"});
    Outcome outcome = desk.unravel(wrong.arguments);
    EXPECT_EQ(outcome.code, wrong.code) << wrong.message;
    EXPECT_EQ(outcome.error, wrong.message);
  }
}

TEST(ToolFrom, FilesAreNoExpressions) {
  Desk desk;
  desk.write("k.c", c);
  desk.write("p.unravel", "y(i) = x(i);");
  const std::vector<std::pair<std::string, std::string>> hints = {
      {"k.c", "to read a loop nest in C: `--from k.c`"},
      {"p.unravel", "to read a program from it: `-F p.unravel`"}};
  for (const auto &[file, hint] : hints) {
    const Outcome outcome = desk.unravel({"compile", file});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.error,
              "error: `" + file + "` is a file, not an expression [bad-option]\n  hint: " + hint + "\n");
  }
}

TEST(ToolFrom, LaterMistakesHavePlacesInTheC) {
  SKIP_WITHOUT_CLANG();
  Desk desk;
  desk.write("k.c", "void f(int n, double x[n], double y[n]) {\n"
                    "  for (int i = 0; i < n; i++) {\n"
                    "    x[i] = 1;\n"
                    "    y[i + 1] = 2;\n"
                    "  }\n"
                    "}\n");
  Outcome outcome = desk.unravel({"compile", "--from", "k.c"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.error.find("k.c:4:5: error: `y(i+1)` may lie outside its tensor"), 0u) << outcome.error;
}

/// Integer parameters that are no tensor's extent are inputs; what is wrong with them is said of the C.
TEST(ToolFrom, GivenSizes) {
  SKIP_WITHOUT_CLANG();
  Desk desk;
  desk.write("k.c", "void band(int n, int k, double y[n], double A[n][n], double x[n]) {\n"
                    "  for (int i = 0; i < n; i++)\n"
                    "    for (int j = i - k; j <= i + k; j++)\n"
                    "      if (j >= 0 && j < n) y[i] += A[i][j] * x[j];\n"
                    "}\n"
                    "void diagonal(int n, int k, double y[n], double A[n][n], double x[n]) {\n"
                    "  for (int j = 0; j < n - k; j++)\n"
                    "    y[j] += A[j][j + k] * x[j + k];\n"
                    "}\n");
  auto run = [&](const std::string &function, const std::vector<std::string> &more) {
    std::vector<std::string> command = {
        "run", "--from",   "k.c:" + function, "-f", "A=csr", "-i", "A=random:20x20,density=0.3",
        "-i",  "x=random", "--check"};
    command.insert(command.end(), more.begin(), more.end());
    return desk.unravel(command);
  };
  for (const char *k : {"-3", "0", "2", "50"}) {
    Outcome outcome = run("band", {"-i", std::string("k=") + k});
    EXPECT_EQ(outcome.code, 0) << k << outcome.error << outcome.out;
  }
  EXPECT_EQ(run("diagonal", {"-i", "k=3"}).code, 0);
  EXPECT_EQ(run("diagonal", {"-i", "k=30"}).code, 0);
  Outcome outcome = run("diagonal", {"-i", "k=-3"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.error, "k.c:8:5: error: `y[j]` lies outside its tensor where k = -3: subscript 0 must be "
                           "in [0, n) [outside-extent]\n"
                           "  8 |     y[j] += A[j][j + k] * x[j + k];\n"
                           "    |     ^~~~\n"
                           "  hint: it must hold that 0 <= k\n");
  outcome = run("diagonal", {});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.error, "k.c:6:22: error: no value is given for the size `k` [missing-input]\n"
                           "  6 | void diagonal(int n, int k, double y[n], double A[n][n], double x[n]) {\n"
                           "    |                      ^~~~~\n"
                           "  hint: add its value, as in -i k=5\n");
}

TEST(ToolFrom, WithoutTheModule) {
  SKIP_WITHOUT_CLANG();
  Desk desk;
  desk.write("k.c", c);
  Outcome outcome = desk.execute(
      {"env", "UNRAVEL_JIT_MODULE=./none.so", unravel::test::tool_path(), "explain", "--from", "k.c:spmv"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.error.find("error: can't load the in-process compiler: ./none.so: "), 0u)
      << outcome.error;
  EXPECT_NE(
      outcome.error.find("[no-compiler]\n  hint: install Unravel with its module, or name the module's file "
                         "with `UNRAVEL_JIT_MODULE`\n"),
      std::string::npos)
      << outcome.error;
}

TEST(ToolFrom, WithoutClang) {
  if (cfront::is_available()) GTEST_SKIP() << "configured with Clang";
  Desk desk;
  desk.write("k.c", c);
  Outcome outcome = desk.unravel({"compile", "--from", "k.c:spmv"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(
      outcome.error,
      "k.c: error: C can't be read: this Unravel was configured without Clang [not-supported]\n"
      "  hint: install the libraries of Clang and LLVM 19 and configure with -DUNRAVEL_JIT=ON, or write the "
      "function as a program\n");
}

/// `if` and `?:` on numbers: of a sparse matrix, as reductions, on data.
TEST(ToolFrom, ConditionsOnNumbers) {
  SKIP_WITHOUT_CLANG();
  Desk desk;
  desk.write("k.c", R"(#include <math.h>
void above(int n, int m, const double A[n][m], const double x[m], double y[n], double *least, double *count) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      y[i] += sqrt(fabs(A[i][j])) * (x[j] < 1 ? x[j] : 1) + (A[i][j] > 0.5) * x[j];
      *count += fabs(A[i][j]) > 0.25;
    }
  for (int j = 0; j < m; j++)
    if (x[j] < *least) *least = x[j];
}
)");
  const std::vector<std::string> kernel{"--from", "k.c", "-f", "A=csr"};
  std::vector<std::string> explain{"explain"}, run{"run"};
  explain.insert(explain.end(), kernel.begin(), kernel.end());
  run.insert(run.end(), kernel.begin(), kernel.end());
  Outcome outcome = desk.unravel(explain);
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("least min= x(j)"), std::string::npos) << outcome.out;
  run.insert(run.end(), {"-i", "A=random:90x40,density=0.1,seed=3", "-i", "x=random", "-i", "least=2",
                         "--check", "-o", "least=least.mtx", "-o", "count=count.mtx", "-o", "y=y.mtx"});
  outcome = desk.unravel(run);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.error;
}

} // namespace
} // namespace unravel::tool::test
