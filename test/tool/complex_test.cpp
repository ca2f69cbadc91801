// Complex numbers as users give them and get them.
#include "cfront/cfront.h"
#include "tool/tool.h"

#include <array>
#include <complex>
#include <gtest/gtest.h>
#include <map>

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
             {"C(i,k) = A(i,j) * B(j,k)", "-f", "B=dense"},
             {"C(i,k) = conj(A(i,j)) * B(j,k) * (1 - 0.5i)", "-f", "B=dense", "-s", "parallel i"},
             {"C(i,k) = B(i,k) - A(i,j) * B(j,k)", "-f", "B=dense"},
             {"C(j,k) = A(i,j) * B(i,k)", "-f", "B=dense", "-s", "parallel i; reduce C by private"},
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

/// What `compile --main` writes is what `run` does, under both compilers, as C and as C++.
TEST(ToolComplex, programs_around_kernels) {
  const Desk desk;
  desk.write("a.mtx", hermitian);
  desk.write("r.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 1 0.5\n");
  desk.write("x.mtx", "%%MatrixMarket matrix array complex general\n2 1\n-4 -0.0\n-4 2\n");
  desk.write("z.mtx", "%%MatrixMarket matrix array real general\n2 2\n-0.0\n0\n1.5\n-0.0\n");
  std::string wide = "%%MatrixMarket matrix array complex general\n2 23\n";
  for (int k = 0; k < 46; ++k)
    wide += std::to_string(k) + " " + std::to_string(0.5 * k - 7) + "\n";
  desk.write("b.mtx", wide);
  const std::vector<std::vector<std::string>> compilers{
      {"gcc", "-std=c99", "-fopenmp"}, {"clang-19", "-std=c99"}, {"clang++-19", "-std=c++17", "-x", "c++"}};
  struct Case {
    std::vector<std::string> line;             // with its layouts
    std::map<std::string, std::string> inputs; // files of tensors
  };
  const std::vector<Case> cases{
      {{"y(i) = A(i,j) * conj(x(j))", "-f", "A=csr complex128", "-f", "x=dense complex64"},
       {{"A", "a.mtx"}, {"x", "x.mtx"}}},
      {{"y(i) = sqrt(x(i)) + 2", "-f", "x=dense complex128"}, {{"x", "x.mtx"}}}, // the zero keeps its sign
      {{"y(i,j) = z(j,i) / 2", "-f", "z=dense f64"}, {{"z", "z.mtx"}}},          // so does a real one
      {{"y(i,j) = -z(i,j)", "-f", "z=dense<1,0> f32", "-f", "y=dense f32"}, {{"z", "z.mtx"}}},
      {{"y(i) = (1 - 2i) * x(i) / 2i", "-f", "x=dense complex64"}, {{"x", "x.mtx"}}},
      {{"y(i,k) = A(i,j) * B(j,k)", "-f", "A=csr complex128", "-f", "B=dense complex128"},
       {{"A", "a.mtx"}, {"B", "b.mtx"}}},
      {{"y(i,k) = A(i,j) * B(j,k)", "-f", "A=csr f32", "-f", "B=dense complex64"},
       {{"A", "r.mtx"}, {"B", "b.mtx"}}},
      {{"y(i) = abs(A(i,j) * x(j)) + imag(x(i))", "-f", "A=csr f32", "-f", "x=dense complex128"},
       {{"A", "r.mtx"}, {"x", "x.mtx"}}},
      {{"y(i,j) = A(i,k) * B(k,j)", "-f", "A=csr complex128", "-f", "B=csc complex128", "-f",
        "y=csr complex128"},
       {{"A", "a.mtx"}, {"B", "r.mtx"}}},
      {{"y(i,j) = A(j,i) - A(i,j)", "-f", "A=csr complex128", "-f", "y=ell complex128", "-s", "drop zeros"},
       {{"A", "a.mtx"}}},
  };
  bool any = false;
  for (const Case &each : cases) {
    std::vector<std::string> run{"run", "-o", "y=y.mtx", "--check"},
        compile{"compile", "--main", "-o", "p.c"};
    std::vector<std::string> call{desk.path("p").string(), "-o", "c.mtx"};
    run.insert(run.end(), each.line.begin(), each.line.end());
    compile.insert(compile.end(), each.line.begin(), each.line.end());
    for (const auto &[tensor, file] : each.inputs) {
      run.insert(run.end(), {"-i", tensor + "=" + file});
      call.push_back(tensor + "=" + file);
    }
    for (const std::vector<std::string> &command : {run, compile}) {
      const Outcome made = desk.unravel(command);
      ASSERT_EQ(made.code, 0) << each.line[0] << made.out << made.error;
    }
    for (std::vector<std::string> compiler : compilers) {
      if (!has_program(compiler[0])) continue;
      any = true;
      compiler.insert(compiler.end(), {"-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-pass-failed", "-O1",
                                       "p.c", "-o", "p", "-lm"});
      const Outcome compiled = desk.execute(compiler);
      ASSERT_EQ(compiled.code, 0) << compiler[0] << compiled.error;
      const Outcome called = desk.execute(call);
      ASSERT_EQ(called.code, 0) << called.error;
      EXPECT_EQ(rounded(desk.read("c.mtx")), rounded(desk.read("y.mtx"))) << each.line[0] << compiler[0];
    }
  }
  if (!any) GTEST_SKIP() << "no compiler is installed";
  desk.write("bad.mtx", "%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n1 1 2\n");
  const Outcome bad = desk.execute({desk.path("p").string(), "A=bad.mtx"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.error.find("bad.mtx: a hermitian matrix is complex"), std::string::npos) << bad.error;
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
  refused({"run", spmv, "-f", "A=csr f64", "-i", "A=a.mtx", "-i", "x=ones"}, "the entries are complex");
}

/// What is real in a complex value is computed as such: there operators are defined that complex numbers
/// don't have.
TEST(ToolComplex, real_parts_of_values) {
  const Desk desk;
  for (const std::string type : {"complex64", "complex128"})
    for (const std::string line :
         {"y(i) = select(x(i) > 0, z(i), w(i))", "y(i) = select(abs(z(i)) > 0.5, z(i), conj(z(i)))",
          "y(i) = max(x(i), 0) * z(i) + pow(w(i), 2)", "y(i) = A(i,j) * z(j) * (i < j)",
          "y(i) = A(i,j) * z(j) * (A(i,j) > 0.5)", "y(i) = select(int32(x(i) * 4) <= 1, z(i), 2i) * w(i)",
          "y(i) = or(x(i), w(i)) * z(i)", "y(i) = z(i) * min(n(i), 0.5) * (2 < 3)",
          "operator f(a, b) = max(a, b); y(i) = f(x(i), 1) * z(i)",
          "for i { let s = 0; for j { s += z(j) * (A(i,j) > 0); } y(i) = s; }"}) {
      std::vector<std::string> command{"run", line, "--check", "-f", "z=dense " + type};
      for (const auto &[tensor, input, layout] :
           std::vector<std::array<std::string, 3>>{{"A", "random:40x40,density=0.2", "csr"},
                                                   {"x", "random:40,density=0.4", "sv"},
                                                   {"w", "random:40,density=0.5,seed=2", "sv"},
                                                   {"n", "integers:40", "dense int8"}})
        if (line.find(tensor + "(") != std::string::npos)
          command.insert(command.end(), {"-i", tensor + "=" + input, "-f", tensor + "=" + layout});
      command.insert(command.end(), {"-i", "z=random:40"});
      const Outcome made = desk.unravel(command);
      EXPECT_EQ(made.code, 0) << line << " " << type << "\n" << made.out << made.error;
    }
}

/// Numbers in the text: one complex number is one factor, and what has one in it is complex.
TEST(ToolComplex, imaginary_numbers) {
  const Desk desk;
  desk.write("x.npy", npy<double>("<f8", {1, -2, 0}));
  desk.write("s.npy", npy<float>("<f4", {1, 2, 4}));
  desk.write("r.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 5\n3 2 1\n");
  using Numbers = std::vector<std::complex<double>>;
  const std::vector<std::pair<std::string, Numbers>> cases{
      {"y(i) = 2i * x(i)", {{0, 2}, {0, -4}, {0, 0}}},
      {"y(i) = (1 - 0.5i) * x(i) + 2i * 3i", {{-5, -0.5}, {-8, 1}, {-6, 0}}},
      {"y(i) = x(i) / 2i - i * 1i", {{0, -0.5}, {0, 0}, {0, -2}}},
      {"y(i) = imag(A(i,j) + 2i) * x(i) * 1i", {{0, 6}, {0, -12}, {0, 0}}}, // three columns
      {"y(i) = conj(1 + 1i) * abs(3 - 4i) + x(i)", {{6, -5}, {3, -5}, {5, -5}}},
      {"y(i) = select(x(i) = 0, 1i, -1i) + sqrt(-4 + 0i)", {{0, 1}, {0, 1}, {0, 3}}},
      {"for i { let t = 1 - 2i; t *= 1i; y(i) = t * x(i); }", {{2, 1}, {-4, -2}, {0, 0}}},
  };
  for (const auto &[line, wanted] : cases) {
    std::vector<std::string> command{"run", line, "-i", "x=x.npy", "--json", "--check"};
    if (line.find("A(") != std::string::npos) command.insert(command.end(), {"-i", "A=r.mtx", "-f", "A=csr"});
    const Outcome made = desk.unravel(command);
    ASSERT_EQ(made.code, 0) << line << made.error << made.out;
    for (std::size_t k = 0; k < wanted.size(); ++k)
      EXPECT_EQ(made.json()["result"]["first"][k]["value"],
                (std::vector<double>{wanted[k].real(), wanted[k].imag()}))
          << line;
  }
  Outcome made =
      desk.unravel({"run", "y(i) = 0.5i * x(i)", "-f", "x=dense f32", "-i", "x=s.npy", "-o", "y=y.npy"});
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_EQ(desk.read("y.npy"), npy<std::complex<float>>("<c8", {{0, 0.5f}, {0, 1}, {0, 2}}));
  made = desk.unravel({"run", "y = real(2i * x(i) * 1i)", "-i", "x=x.npy", "--json", "--check"});
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_EQ(made.json()["result"]["first"][0]["value"], 2);
  // What is printed of a program is read as the same one.
  made = desk.unravel({"explain", "C(i,j) = (1.5 - 2i) * A(i,k) * B(k,j) + 1i * A(i,j)", "-f", "A=csr", "-f",
                       "B=csr", "-f", "C=csr", "--json"});
  ASSERT_EQ(made.code, 0) << made.error;
  EXPECT_NE(made.out.find("(1.5 - 2i)"), std::string::npos) << made.out;
}

/// C is the same kernel as index notation.
TEST(ToolComplex, functions_in_c) {
  if (!cfront::is_available()) GTEST_SKIP() << "configured without Clang";
  const Desk desk;
  desk.write("a.mtx", hermitian);
  desk.write("mv.c", "#include <complex.h>\n"
                     "void mv(int n, double complex A[n][n], double complex x[n], double complex y[n]) {\n"
                     "  for (int i = 0; i < n; i++)\n"
                     "    for (int j = 0; j < n; j++)\n"
                     "      y[i] += (0.5 - 2 * I) * A[i][j] * conj(x[j]);\n"
                     "}\n"
                     "void single(int n, float complex A[n][n], float x[n], float y[n]) {\n"
                     "  for (int i = 0; i < n; i++)\n"
                     "    for (int j = 0; j < n; j++)\n"
                     "      y[i] += cimagf(A[i][j] * x[j]) + cabsf(A[i][j]);\n"
                     "}\n");
  const std::vector<std::string> inputs{"-f",     "A=csr",   "-i", "A=a.mtx", "-i",
                                        "x=ones", "--check", "-o", "y=y.mtx"};
  const auto run = [&](std::vector<std::string> command) {
    command.insert(command.begin(), "run");
    command.insert(command.end(), inputs.begin(), inputs.end());
    const Outcome made = desk.unravel(command);
    EXPECT_EQ(made.code, 0) << made.error << made.out;
    return desk.read("y.mtx");
  };
  EXPECT_EQ(run({"--from", "mv.c:mv"}), "%%MatrixMarket matrix array complex general\n2 1\n-2 -9\n4.5 -1\n");
  EXPECT_EQ(run({"--from", "mv.c:single", "--type", "f32"}),
            "%%MatrixMarket matrix array real general\n2 1\n3.236068\n4.236068\n");
  const auto kernel = [&](std::vector<std::string> command) {
    command.insert(command.begin(), "compile");
    const Outcome made = desk.unravel(command);
    EXPECT_EQ(made.code, 0) << made.error;
    return made.out.substr(made.out.find("for ("));
  };
  EXPECT_EQ(
      kernel({"--from", "mv.c:mv", "-f", "A=csr"}),
      kernel(
          {"tensor A(n, n) complex128, x(n) complex128, y(n) complex128; for i in [0, n) { for j in [0, n) {"
           " y(i) += (0.5 - 2i) * A(i,j) * conj(x(j)); } }",
           "-f", "A=csr"}));
}

} // namespace
} // namespace unravel::tool::test
