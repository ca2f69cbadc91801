// The schedule `blas`: dense inner nests are calls of CBLAS, in process and in C files; where there are none.
#include "places.h"
#include "tool.h"

#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

/// Was this Unravel configured without OpenBLAS? Then it says so.
bool can_run(const Desk &desk) {
  const Outcome ran =
      desk.unravel({"run", "s = x(i) * z(i)", "-s", "blas", "-i", "x=ones:3", "-i", "z=ones:3"});
  if (ran.code == 0) return true;
  EXPECT_NE(ran.error.find("-DUNRAVEL_BLAS=ON"), std::string::npos) << ran.error;
  return false;
}

struct Case {
  std::string call; // without its type's letter
  std::vector<std::string> arguments;
};

const std::vector<Case> cases = {
    {"dot", {"s = x(i) * z(i)", "-i", "x=random:37", "-i", "z=random:37"}},
    {"axpy",
     {"Y(i,r) = A(i,j) * B(j,r)", "-f", "A=csr", "-i", "A=random:20x30,density=0.2", "-i", "B=random:30x8"}},
    {"axpy", {"y(i) += 3 * x(i)", "-i", "x=random:9"}},
    {"ger", {"C(i,j) += x(i) * z(j)", "-i", "x=random:7", "-i", "z=random:9"}},
    {"gemv", {"y(i) = A(i,j) * x(j)", "-i", "A=random:7x9", "-i", "x=random:9"}},
    {"gemv", {"y(i) += A(j,i) * x(j)", "-i", "A=random:9x7", "-i", "x=random:9"}},
    {"gemm", {"C(i,j) = A(i,k) * B(k,j)", "-i", "A=random:7x11", "-i", "B=random:11x5"}},
    {"gemm", {"C(i,j) += 2 * A(k,i) * B(k,j)", "-i", "A=random:11x7", "-i", "B=random:11x5"}},
    {"gemm", {"C(i,j) = A(i,k) * B(j,k)", "-i", "A=random:7x11", "-i", "B=random:5x11"}},
    {"gemm", {"C(i,j) = A(k,i) * B(j,k)", "-i", "A=random:11x7", "-i", "B=random:5x11"}},
    {"gemm", {"C(j,i) = A(i,k) * B(k,j)", "-i", "A=random:7x11", "-i", "B=random:11x5"}},
    {"gemm", {"C(i,j) = A(i,k) * B(k,j)", "-i", "A=random:7x0", "-i", "B=random:0x5"}},
    {"gemm", {"C(i,j) = A(i,k) * B(k,j)", "-i", "A=random:0x4", "-i", "B=random:4x0"}},
    {"gemm",
     {"C(i,j) = A(i,k) * B(k,j)", "-i", "A=random:16x16", "-i", "B=random:16x16", "-s", "bound k = 16"}},
    {"gemm",
     {"Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)", "-f", "T=csf3", "-i", "T=random:6x7x8,entries=60", "-i",
      "U=random:7x4", "-i", "V=random:8x5", "-s", "plan 1"}},
};

TEST(ToolBlas, CallsGiveWhatTheReferenceGives) {
  Desk desk;
  if (!can_run(desk)) GTEST_SKIP() << "configured without OpenBLAS";
  for (const Case &each : cases)
    for (const char *type : {"f64", "f32"}) {
      SCOPED_TRACE(each.arguments[0] + " " + type);
      std::vector<std::string> command{"run"};
      command.insert(command.end(), each.arguments.begin(), each.arguments.end());
      command.insert(command.end(),
                     {"-s", "blas", "--type", type, "--check", "--emit-c", "k.c", "--repeat", "2"});
      const Outcome ran = desk.unravel(command);
      ASSERT_EQ(ran.code, 0) << ran.error;
      EXPECT_NE(ran.out.find("check ok"), std::string::npos) << ran.out;
      const std::string c = desk.read("k.c");
      EXPECT_NE(c.find("#include <cblas.h>"), std::string::npos);
      EXPECT_NE(c.find(std::string("cblas_") + (type == std::string("f64") ? "d" : "s") + each.call + "("),
                std::string::npos)
          << c;
    }
}

/// BLAS does nothing where its factor is 0, but 0 times infinity isn't 0.
TEST(ToolBlas, KeepsInfinities) {
  Desk desk;
  if (!can_run(desk)) GTEST_SKIP() << "configured without OpenBLAS";
  desk.write("zeros.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 0\n1 2 1\n2 2 0\n");
  desk.write("infinite.mtx", "%%MatrixMarket matrix array real general\n2 2\ninf\n1\n2\n3\n");
  const auto run = [&](std::vector<std::string> command) {
    command.insert(command.begin(), "run");
    command.insert(command.end(), {"-i", "A=zeros.mtx", "-s", "blas", "--check"});
    const Outcome ran = desk.unravel(command);
    EXPECT_NE(ran.out.find("check ok"), std::string::npos) << ran.out << ran.error;
    EXPECT_NE(ran.out.find("nan"), std::string::npos) << ran.out;
  };
  run({"Y(i,k) = A(i,j) * B(j,k)", "-f", "A=csr", "-i", "B=infinite.mtx"});
  run({"Y(i,k) = a * A(i,j) * B(j,k)", "-i", "a=0", "-i", "B=infinite.mtx"});
}

/// Operands as they are meant: a call, with its leading dimensions.
TEST(ToolBlas, TextOfACall) {
  Desk desk;
  const Outcome made =
      desk.unravel({"compile", "C(i,j) = A(i,k) * B(j,k)", "-s", "blas", "--name", "product"});
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_NE(made.out.find("cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)"), std::string::npos)
      << made.out;
  EXPECT_NE(made.out.find("It calls CBLAS: link with OpenBLAS."), std::string::npos);
  EXPECT_NE(made.out.find("<= 2147483647"), std::string::npos);
  EXPECT_NE(made.out.find("unravel_blas_threads(unravel_threads());"), std::string::npos);
  const Outcome rows =
      desk.unravel({"compile", "C(i,j) = A(i,k) * B(j,k)", "-s", "blas; parallel i", "--name", "product"});
  EXPECT_NE(rows.out.find("#pragma omp parallel for"), std::string::npos);
  EXPECT_NE(rows.out.find("cblas_dgemv("), std::string::npos) << rows.out;
  EXPECT_EQ(rows.out.find("unravel_blas_threads((int)unravel_threads());"), std::string::npos);
}

TEST(ToolBlas, CFileOfItsOwn) {
  if (!has_program("gcc")) GTEST_SKIP() << "no gcc is installed";
  Desk desk;
  desk.write("try.c", "#include <cblas.h>\nint main(void) { return cblas_ddot(0, 0, 1, 0, 1) != 0; }\n");
  if (desk.execute({"gcc", "try.c", "-lopenblas", "-o", "try"}).code != 0)
    GTEST_SKIP() << "no libopenblas-dev is installed";
  const Outcome made =
      desk.unravel({"compile", "C(i,j) = A(i,k) * B(k,j)", "-s", "blas", "--main", "-o", "gemm.c"});
  ASSERT_EQ(made.code, 0) << made.error;
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 2\n2 2 3\n");
  desk.write("b.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 5\n3 1 7\n2 2 11\n");
  for (const char *openmp : {"-fopenmp", "-O2"}) {
    const Outcome compiled = desk.execute({"gcc", "-std=gnu99", "-Wall", "-Werror", "-Wno-unknown-pragmas",
                                           openmp, "gemm.c", "-o", "gemm", "-lopenblas", "-lm"});
    ASSERT_EQ(compiled.code, 0) << compiled.error;
    const Outcome ran = desk.execute({"./gemm", "A=a.mtx", "B=b.mtx"});
    EXPECT_EQ(ran.code, 0) << ran.error;
    EXPECT_NE(ran.out.find("19"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("33"), std::string::npos) << ran.out;
  }
}

TEST(ToolBlas, WhereThereIsNone) {
  Desk desk;
  const Outcome spmv_ = desk.unravel({"compile", spmv, "-f", "A=csr", "-s", "blas"});
  EXPECT_EQ(spmv_.code, 1);
  EXPECT_NE(
      spmv_.error.find("`blas`: no nest of loops is a call of BLAS (loop over `A.p`: its loop's length"),
      std::string::npos)
      << spmv_.error;
  const Outcome mttkrp = desk.unravel(
      {"compile", "Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)", "-f", "T=csf3", "-s", "blas; plan none"});
  EXPECT_EQ(mttkrp.code, 1);
  EXPECT_NE(mttkrp.error.find("loop over `r`: all of a product and the target change along one loop"),
            std::string::npos)
      << mttkrp.error;
  const Outcome integers =
      desk.unravel({"compile", "C(i,j) = A(i,k) * B(k,j)", "-s", "blas", "--type", "int32"});
  EXPECT_EQ(integers.code, 1);
  EXPECT_NE(integers.error.find("BLAS has values of one type, f32 or f64"), std::string::npos)
      << integers.error;
  const Outcome twice = desk.unravel({"compile", "C(i,j) = A(i,k) * B(k,j)", "-s", "blas; blas"});
  EXPECT_EQ(twice.code, 1) << twice.error;
}

/// More than an int counts: said before anything is called.
TEST(ToolBlas, SizesFitInAnInt) {
  Desk desk;
  const Outcome made = desk.unravel({"compile", "s = x(i) * z(i)", "-s", "blas"});
  EXPECT_NE(made.out.find(">= 2147483648) return 1;"), std::string::npos) << made.out;
  const Outcome ran = desk.unravel({"run", "C(i,j) = A(i,k) * B(k,j)", "-s", "blas", "-i",
                                    "A=random:3000000000x0", "-i", "B=random:0x0"}); // no element
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_NE(ran.error.find("BLAS takes sizes as int"), std::string::npos) << ran.error;
}

} // namespace
} // namespace unravel::tool::test
