// Complex numbers as users give them and get them.
#include "cfront/cfront.h"
#include "tool/tool.h"

#include <complex>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

const std::string hermitian = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 1 2\n";

TEST(ToolComplex, a_hermitian_file) {
  const Desk desk;
  desk.write("a.mtx", hermitian);
  Outcome made =
      desk.unravel({"run", spmv, "-f", "A=csr", "-i", "A=a.mtx", "-i", "x=ones", "-o", "y=y.mtx", "--check"});
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_NE(made.out.find("check ok"), std::string::npos) << made.out;
  EXPECT_NE(made.out.find("y(0) = 4-2j, y(1) = 1+2j"), std::string::npos) << made.out;
  EXPECT_EQ(desk.read("y.mtx"), "%%MatrixMarket matrix array complex general\n2 1\n4 -2\n1 2\n");
  made = desk.unravel(
      {"run", "s = conj(x(i)) * A(i,j) * x(j)", "-f", "A=csr", "-i", "A=a.mtx", "-i", "x=ones", "--json"});
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_EQ(made.json()["result"]["first"][0]["value"], (std::vector<double>{5, 0}));
}

TEST(ToolComplex, types_of_files_are_kept) {
  const Desk desk;
  desk.write("x.npy", npy<std::complex<float>>("<c8", {{1, 2}, {3, -1}}));
  desk.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n");
  Outcome made = desk.unravel(
      {"run", spmv, "-f", "A=csr f32", "-i", "A=a.mtx", "-i", "x=x.npy", "-o", "y=y.npy", "--check"});
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_EQ(desk.read("y.npy"), npy<std::complex<float>>("<c8", {{2, 4}, {12, -4}}));
  made =
      desk.unravel({"run", "y(i) = a * x(i)", "-i", "a=0.5-2i", "-i", "x=x.npy", "-o", "y=y.npy", "--check"});
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_EQ(desk.read("y.npy"), npy<std::complex<double>>("<c16", {{4.5, -1}, {-0.5, -6.5}}));
}

/// Which root of -4 it is depends on the sign of the imaginary part, 0.
TEST(ToolComplex, signs_of_zeros) {
  const Desk desk;
  const std::string signed_zeros = "%%MatrixMarket matrix array complex general\n3 1\n-4 -0\n-4 0\n4 0\n",
                    roots = "%%MatrixMarket matrix array complex general\n3 1\n0 -2\n0 2\n2 0\n";
  desk.write("z.mtx", signed_zeros);
  for (const std::vector<std::string> &command :
       std::vector<std::vector<std::string>>{{"convert", "z.mtx", "z.npy"},
                                             {"convert", "z.npy", "folder", "-f", "dense"},
                                             {"convert", "folder", "sparse", "-f", "sv"},
                                             {"convert", "sparse", "again.mtx"}}) {
    const Outcome made = desk.unravel(command);
    ASSERT_EQ(made.code, 0) << made.error;
  }
  for (const std::string input : {"z.mtx", "z.npy", "again.mtx", "sparse"}) {
    const Outcome made = desk.unravel({"run", "y(i) = sqrt(z(i))", "-f", "y=dense complex128", "-i",
                                       "z=" + input, "-o", "y=y.mtx", "--check"});
    EXPECT_EQ(made.code, 0) << input << made.error << made.out;
    EXPECT_EQ(desk.read("y.mtx"), roots) << input;
  }
  const Outcome made = desk.unravel({"run", "y = sqrt(z)", "-i", "z=-4-0i", "--json", "--check"});
  EXPECT_EQ(made.code, 0) << made.error;
  EXPECT_EQ(made.json()["result"]["first"][0]["value"], (std::vector<double>{0, -2}));
}

TEST(ToolComplex, folders_and_files_are_converted) {
  const Desk desk;
  desk.write("a.mtx", hermitian);
  for (const std::vector<std::string> &command :
       std::vector<std::vector<std::string>>{{"convert", "a.mtx", "a", "-f", "csr"},
                                             {"convert", "a", "b", "-f", "ell"},
                                             {"convert", "b", "b.npz"},
                                             {"convert", "b.npz", "c.mtx"}}) {
    const Outcome made = desk.unravel(command);
    ASSERT_EQ(made.code, 0) << made.error;
  }
  EXPECT_EQ(desk.read("c.mtx"),
            "%%MatrixMarket matrix coordinate complex general\n2 2 3\n1 1 3 0\n1 2 1 -2\n2 1 1 2\n");
  const Outcome used = desk.unravel({"run", spmv, "-i", "A=a", "-i", "x=random", "--check"});
  EXPECT_EQ(used.code, 0) << used.error;
}

TEST(ToolComplex, kernels_of_every_kind) {
  const Desk desk;
  for (const std::string type : {"complex64", "complex128"})
    for (const std::vector<std::string> &line : std::vector<std::vector<std::string>>{
             {"C(i,j) = A(i,k) * B(k,j)", "-f", "C=csr", "-f", "B=csr " + type},
             {"C(i,j) = A(i,k) * conj(A(j,k))", "-f", "C=csr"},
             {"C(i,j) = A(i,j)", "-f", "C=ell"},
             {"C(i,j) = A(i,k) * B(k,j) mask A(i,j)", "-f", "C=csr", "-f", "B=csr " + type},
             {"C(i,j) = A(i,j) + B(i,j)", "-f", "C=dcsr", "-f", "B=csc"},
             {"C(i,j) = A(i,j) * u(i) * conj(v(j))", "-f", "C=like:A"},
             {"y(i) = A(i,j) * x(j)", "-s", "parallel i balanced"},
             {"y(j) = A(i,j) * x(i)", "-s", "parallel i; reduce y by atomic"},
             {"y(j) = A(i,j) * x(i)", "-s", "parallel i; reduce y by private"},
             {"y(j) = A(i,j) * x(i)", "-s", "parallel i"},
             {"D(i,j) = S(i,j) * U(i,r) * V(j,r)", "-f", "S=csr " + type, "-f", "D=like:S"},
             {"y(i) = real(A(i,j)) * x(j)"},
             {"n = conj(x(i)) * x(i)"},
             {"y(i) = abs(A(i,j)) * x(j)"}}) {
      std::vector<std::string> command{"run", "--check", "--type", type, "--threads", "2"};
      command.insert(command.end(), line.begin(), line.end());
      for (const auto &[tensor, input] :
           std::vector<std::pair<std::string, std::string>>{{"A", "random:40x40,density=0.2"},
                                                            {"B", "random:40x40,density=0.1,seed=2"},
                                                            {"S", "random:30x30,density=0.2"},
                                                            {"U", "random:30x8"},
                                                            {"V", "random:30x8"},
                                                            {"x", "random:40"},
                                                            {"u", "random:40"},
                                                            {"v", "random:40"}}) {
        if (line[0].find(tensor + "(") == std::string::npos) continue;
        command.insert(command.end(), {"-i", tensor + "=" + input});
        if (tensor == "A") command.insert(command.end(), {"-f", "A=csr"});
      }
      const Outcome made = desk.unravel(command);
      EXPECT_EQ(made.code, 0) << line[0] << " " << type << "\n" << made.out << made.error;
    }
}

TEST(ToolComplex, what_there_is_not) {
  const Desk desk;
  desk.write("a.mtx", hermitian);
  const auto refused = [&](std::vector<std::string> command, const std::string &part) {
    const Outcome made = desk.unravel(command);
    EXPECT_NE(made.code, 0) << part;
    EXPECT_NE(made.error.find(part), std::string::npos) << made.error;
  };
  const std::vector<std::string> types{"-f", "A=csr complex128"};
  const auto compile = [&](const std::string &line, const std::string &part) {
    refused({"compile", line, types[0], types[1]}, part);
  };
  compile("y(i) max= A(i,j)", "`max` is not defined for complex numbers");
  compile("y(i) = min(A(i,j), 1) * x(j)", "`min` is not defined for complex numbers");
  compile("y(i) = (A(i,j) < 1) * x(j)", "`<` is not defined for complex numbers");
  compile("y(i) = A(i,j) * x(j) in or.and", "is not defined for complex numbers");
  compile("operator f(a, b) = max(a, b); y(i) = f(A(i,j), x(j))", "`f` is not defined for complex numbers");
  compile("operator f(a, b) = a * conj(b) : commutative; y(i) = f(A(i,j), x(j))",
          "`f` is not defined for complex numbers");
  refused({"compile", spmv, types[0], types[1], "-f", "y=dense f64"},
          "`y` is f64, but what is computed for it is complex128");
  refused({"compile", spmv, types[0], types[1], "--main"}, "`--main` reads and shows real numbers");
  refused({"run", spmv, "-f", "A=csr f64", "-i", "A=a.mtx", "-i", "x=ones"}, "the entries are complex");
  if (!cfront::is_available()) return;
  desk.write(
      "mv.c",
      "void mv(int n, double _Complex A[n][n], double _Complex x[n], double _Complex y[n]) {\n"
      "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n      y[i] += A[i][j] * x[j];\n}\n");
  refused({"compile", "--from", "mv.c:mv"}, "`y` is not an array of `double` or `float`");
}

} // namespace
} // namespace unravel::tool::test
