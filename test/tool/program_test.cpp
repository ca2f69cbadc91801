// Programs of several statements on the command line: results, refusals with their places, exit codes.
#include "cfront/cfront.h"
#include "golden.h"
#include "tool.h"

#include <gtest/gtest.h>
#include <set>

namespace unravel::tool::test {
namespace {

const std::string solve = "tensor L(n,n), b(n), x(n); for i in [0,n) { let s = b(i); "
                          "for j in [0,i) { s -= L(i,j)*x(j); } x(i) = s / L(i,i); }";

/// A scalar around a loop of which a condition leaves one iteration.
TEST(ToolProgram, OneIterationChangesAScalarAroundIt) {
  const Desk desk;
  desk.write("x.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n2\n4\n8\n");
  for (const auto &[condition, shown] :
       {std::pair("i = 2", "y(2) = 5"), {"i = n - 1", "y(3) = 9"}, {"1 <= i < 2", "y(1) = 3"}}) {
    const Outcome outcome = desk.unravel(
        {"run",
         std::string("tensor x(n), y(n); let s = 1; for i { if ") + condition + " { s += x(i); y(i) = s; } }",
         "-i", "x=x.mtx", "--threads", "2"});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_NE(outcome.out.find(shown), std::string::npos) << condition << "\n" << outcome.out;
  }
}

TEST(ToolProgram, ATriangularSolve) {
  Desk desk;
  desk.write("L.mtx",
             "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 2\n2 1 1\n2 2 4\n3 2 3\n3 3 5\n");
  desk.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n2\n9\n16\n");
  Outcome outcome = desk.unravel(
      {"run", solve, "-f", "L=csr", "-i", "L=L.mtx", "-i", "b=b.mtx", "-o", "x=x.mtx", "--check"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(desk.read("x.mtx").find("\n1\n2\n2\n"), std::string::npos) << desk.read("x.mtx");
}

/// The program that `compile --main` writes solves, too, and tells of a divisor that isn't stored.
void expect_main_solves(const std::string &schedule) {
  SCOPED_TRACE(schedule);
  Desk desk;
  Outcome outcome =
      desk.unravel({"compile", solve, "-f", "L=csr", "-s", schedule, "--main", "-o", "solve.c"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  outcome = desk.execute({"gcc", "-O1", "-fopenmp", "solve.c", "-o", "solve", "-lm"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  desk.write("L.mtx",
             "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 2\n2 1 1\n2 2 4\n3 2 3\n3 3 5\n");
  desk.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n2\n9\n16\n");
  outcome = desk.execute({"./solve", "L=L.mtx", "b=b.mtx", "-o", "x.mtx"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(desk.read("x.mtx").find("\n1\n2\n2\n"), std::string::npos) << desk.read("x.mtx");
  desk.write("L.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n2 1 1\n3 3 5\n");
  outcome = desk.execute({"./solve", "L=L.mtx", "b=b.mtx", "-o", "z.mtx"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.error.find("a divisor isn't stored"), std::string::npos) << outcome.error;
  EXPECT_FALSE(desk.has("z.mtx"));
}

TEST(ToolProgram, AMainProgramSolves) {
  if (!has_program("gcc")) GTEST_SKIP() << "no gcc";
  for (const char *schedule : {"serial", "wavefront i", "wavefront i packed"})
    expect_main_solves(schedule);
}

/// Each result has a file of its own, sparse or not; a scalar's value is a number.
TEST(ToolProgram, AMainProgramWritesSeveralResults) {
  if (!has_program("gcc")) GTEST_SKIP() << "no gcc";
  Desk desk;
  desk.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n1 3 1\n2 2 4\n");
  const Outcome made =
      desk.unravel({"compile", "for i { for j { C(i,j) = a * A(i,j); } } for i { for j { y(i) += A(i,j); } }",
                    "-f", "A=csr", "-f", "C=csr", "--main", "-o", "program.c"});
  ASSERT_EQ(made.code, 0) << made.error;
  const Outcome compiled =
      desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror",
                    "-fsanitize=address,undefined", "program.c", "-o", "program", "-lm"});
  ASSERT_EQ(compiled.code, 0) << compiled.error;
  const Outcome ran = desk.execute({"./program", "A=A.mtx", "a=2.5", "-o", "y=y.mtx", "-o", "C=C.mtx"});
  EXPECT_EQ(ran.code, 0) << ran.error;
  EXPECT_EQ(desk.read("y.mtx"), "%%MatrixMarket matrix array real general\n2 1\n3\n4\n");
  EXPECT_EQ(desk.read("C.mtx"),
            "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 5\n1 3 2.5\n2 2 10\n");
  EXPECT_EQ(desk.execute({"./program", "A=A.mtx", "a=2.5", "-o", "y.mtx"}).error,
            "error: y.mtx: expected -o RESULT=FILE; see --help\n");
  EXPECT_EQ(desk.execute({"./program", "A=A.mtx", "a=2.5", "-o", "A=y.mtx"}).error,
            "error: -o A=y.mtx: the results are `C`, `y`\n");
}

/// Threads add up what a round adds up, where it is long enough; rounds follow each other.
TEST(ToolProgram, SumsOfRoundsAreParallel) {
  const Desk desk;
  const std::string text =
      "let old = 1; repeat 4 until old < 0.5 { let sum = 0; for i { sum += x(i) * x(i); } "
      "s += sum; old = old * 2; }";
  const Outcome made = desk.unravel({"compile", text});
  EXPECT_NE(made.out.find("reduction(+ : sum)"), std::string::npos) << made.out << made.error;
  const Outcome ran =
      desk.unravel({"run", text, "-i", "x=random:5000", "--threads", "2", "--check", "-s", "parallel i"});
  EXPECT_EQ(ran.code, 0) << ran.error;
}

/// Rows of a triangular solve wait for each other; a row's entries are a sum.
TEST(ToolProgram, DependencesOfATriangularSolve) {
  Outcome outcome = Desk().unravel({"deps", solve, "-f", "L=csr"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  unravel::test::golden_check("tool", "dependences_of_a_solve", outcome.out);
}

/// Which loops may run in wavefronts, what their inspectors look at, and why others can't.
TEST(ToolProgram, WavefrontsAmongTheDependences) {
  Desk desk;
  nlohmann::json answers = desk.unravel({"deps", solve, "-f", "L=csr", "--json"}).json().at("wavefronts");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].at("loop"), "i");
  EXPECT_EQ(answers[0].at("possible"), true);
  EXPECT_EQ(answers[0].at("hindrance"), nullptr);
  ASSERT_EQ(answers[0].at("waits").size(), 1u);
  EXPECT_EQ(answers[0].at("waits")[0].at("order"), "waits for");
  EXPECT_EQ(answers[0].at("waits")[0].at("iteration"), "j");
  ASSERT_EQ(answers[0].at("packed").size(), 1u);
  EXPECT_EQ(answers[0].at("packed")[0].at("indices"), nlohmann::json::array({"L.col"}));
  EXPECT_EQ(answers[0].at("packed")[0].at("values"), nlohmann::json::array({"L.val"}));
  const std::string columns = "tensor L(n,n), x(n); for j in [0,n) { x(j) /= L(j,j); for i in [j+1,n) "
                              "{ x(i) -= L(i,j)*x(j); } }";
  answers = desk.unravel({"deps", columns, "-f", "L=csc", "--json"}).json().at("wavefronts");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].at("possible"), false);
  EXPECT_NE(
      desk.unravel({"deps", columns, "-f", "L=csc"})
          .out.find("wavefronts of j: none, the loop over `j` can't run in wavefronts: no inspector can "
                    "tell which iterations touch an element of x(i)\n"),
      std::string::npos);
  EXPECT_TRUE(desk.unravel({"deps", "y(i) = A(i,j) * x(j)", "-f", "A=csr", "--json"})
                  .json()
                  .at("wavefronts")
                  .empty());
}

/// What is refused, and how: code 1, and nothing is written.
TEST(ToolProgram, Refusals) {
  Desk desk;
  desk.write("L.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n2 1 1\n3 3 5\n");
  const std::string order =
      "tensor A(n,m), y(n+m); for i in [0,n) { for j in [0,m) { y(i+j+1) += A(i,j)*y(i+j); } }";
  const std::vector<std::vector<std::string>> commands = {
      {"run", solve, "-f", "L=csr", "-i", "L=L.mtx", "-i", "b=ones", "-o", "x=x.mtx"},
      {"compile", "tensor x(n), y(n); for i in [0,n) { y(i) = x(i+1); }"},
      {"compile", order, "-f", "A=csc", "-s", "order j, A.p"},
      {"compile", "for i { y(i) = abs(A(i,i)); }", "-f", "A=coo_dup"},
      {"compile", "for i { y(i) = x(i) / A(i,i); }", "-f", "A=symmetric_csr", "-f", "y=listed"},
      {"compile",
       "let w(i) = 0; for i { w(i) = a(i); } for i { w(i) = w(0)*b(i) + a(i); } for i { z(i) = w(i); }", "-f",
       "w=hashed", "-f", "a=sv"},
      {"compile", "for i { y(i) = x(i); }", "-f", "y=like:x"},
      {"compile", solve, "-f", "L=csr", "-s", "skew i by j"},
      {"compile", solve, "-f", "L=csr", "-s", "order j, i"},
      {"compile",
       "tensor a(n,m); for i in [0,n-1) { for j in [1,m) { a(i+1,j-1) *= 2; a(i,j) += 3*a(i+1,j-1); } }",
       "-s", "tile j by 2"},
      {"compile", solve, "-f", "L=csr", "-s", "bound j = 2"},
      {"run", solve, "-f", "L=csr", "-s", "bound i = 4", "-i", "L=random:3x3", "-i", "b=ones"},
      {"compile", solve, "-f", "L=csr", "-s", "parallel i"},
      {"run", "for i { y(i) += 2; }"},
      {"run", "for i { y(i) += 2; }", "--size", "k=2"},
      {"run", solve, "-i", "L=random:3x4", "-i", "b=ones"},
      {"run", "tensor x(n-3), y(n); for i in [3,n) { y(i) = x(i-3); }", "-i", "y=ones:2", "-i", "x=ones"},
      {"run", "tensor x(2*n), y(2*n+1); for i in [0,2*n) { y(i) = x(i); }", "-i", "x=ones:4"},
  };
  std::string text;
  for (const std::vector<std::string> &command : commands) {
    std::vector<std::string> before = desk.files();
    Outcome outcome = desk.unravel(command);
    EXPECT_EQ(outcome.code, 1) << command[1] << outcome.out << outcome.error;
    EXPECT_EQ(desk.files(), before);
    for (const std::string &word : command)
      text += word + (&word == &command.back() ? "\n" : "  ");
    text += outcome.error + "\n";
  }
  unravel::test::golden_check("tool", "refused_programs", text);
}

/// A request is about the statement whose find it names.
TEST(ToolProgram, FindsOfOneStatement) {
  for (const char *method : {"binary", "scan"}) {
    Outcome outcome =
        Desk().unravel({"compile", solve, "-f", "L=csr", "--find", std::string("L#2=") + method, "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_EQ(outcome.json().at("finds").at(0).at("template"),
              method == std::string("scan") ? "scan" : "binary");
  }
  Outcome outcome = Desk().unravel({"compile", solve, "-f", "L=csr", "--find", "b=scan"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.error.find("nothing has to be found for `b` [no-such-find]"), std::string::npos)
      << outcome.error;
}

TEST(ToolProgram, SeveralResults) {
  Desk desk;
  const char *text = "for i { y(i) = 2*b(i); for j { y(i) -= A(i,j)*x(j); } z(i) += y(i)*y(i); }";
  desk.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n3\n4\n");
  desk.write("z.mtx", "%%MatrixMarket matrix array real general\n2 1\n100\n200\n");
  Outcome outcome =
      desk.unravel({"run", text, "-f", "A=csr", "-i", "A=ones:2x3", "-i", "x=ones", "-i", "b=b.mtx", "-i",
                    "z=z.mtx", "-o", "y=y.mtx", "-o", "z=out.mtx", "--check", "--repeat", "3"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(desk.read("y.mtx").find("\n3\n5\n"), std::string::npos) << desk.read("y.mtx");
  EXPECT_NE(desk.read("out.mtx").find("\n109\n225\n"), std::string::npos) << desk.read("out.mtx");
  outcome = desk.unravel(
      {"run", text, "-f", "A=csr", "-i", "A=ones:2x3", "-i", "x=ones", "-i", "b=ones", "-o", "x=x.mtx"});
  EXPECT_NE(outcome.error.find("the results are `y`, `z`"), std::string::npos) << outcome.error;
}

/// Each result of a program of `--main` is written as its type says, whatever the others are.
TEST(ToolProgram, ResultsOfDifferentTypesAreWritten) {
  if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  Desk desk;
  const std::string banner = "%%MatrixMarket matrix array ";
  desk.write("c.mtx", banner + "complex general\n2 1\n3 4\n0 -1\n");
  desk.write("k.mtx", banner + "integer general\n2 1\n9007199254740993\n-5\n");
  const Outcome made = desk.unravel(
      {"compile", "for i { y(i) = conj(c(i)); z(i) = abs(c(i)); m(i) = k(i); }", "-f", "c=dense complex128", "-f",
       "k=dense int64", "--main", "-o", "program.c"});
  ASSERT_EQ(made.code, 0) << made.error;
  const Outcome compiled = desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "program.c",
                                         "-o", "program", "-lm"});
  ASSERT_EQ(compiled.code, 0) << compiled.error;
  const Outcome ran = desk.execute(
      {"./program", "c=c.mtx", "k=k.mtx", "-o", "y=y.mtx", "-o", "z=z.mtx", "-o", "m=m.mtx"});
  ASSERT_EQ(ran.code, 0) << ran.error;
  EXPECT_EQ(desk.read("y.mtx"), banner + "complex general\n2 1\n3 -4\n0 1\n");
  EXPECT_EQ(desk.read("z.mtx"), banner + "real general\n2 1\n5\n1\n");
  EXPECT_EQ(desk.read("m.mtx"), banner + "integer general\n2 1\n9007199254740993\n-5\n");
}

/// Each round begins with what the results held, also where all are set to zero, but one is read before.
TEST(ToolProgram, RoundsBeginWithTheSame) {
  Desk desk;
  desk.write("y.mtx", "%%MatrixMarket matrix array real general\n2 1\n5\n7\n");
  Outcome outcome = desk.unravel({"run",
                                  "for i { z(i) = 0; } for i { z(i) += y(i)*b(i); } for i { y(i) = 0; } "
                                  "for i { for j { y(i) += A(i,j)*b(j); } }",
                                  "-f", "A=csr", "-i", "A=ones:2x2", "-i", "b=ones", "-i", "y=y.mtx", "-o",
                                  "z=z.mtx", "--check", "--repeat", "3"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(desk.read("z.mtx").find("\n5\n7\n"), std::string::npos) << desk.read("z.mtx");
}

/// As text, by a schedule and in C.
TEST(ToolProgram, WorkspacesOfEveryKindGiveTheSame) {
  Desk desk;
  desk.write("product.c",
             "void product(int n, int m, const double A[n][m], const double B[m][m], double C[n][m]) {\n"
             "  for (int i = 0; i < n; i++) {\n"
             "    double w[m];\n"
             "    for (int j = 0; j < m; j++) w[j] = 0;\n"
             "    for (int k = 0; k < m; k++)\n"
             "      for (int j = 0; j < m; j++) w[j] += A[i][k] * B[k][j];\n"
             "    for (int j = 0; j < m; j++) C[i][j] = 2 * w[j];\n"
             "  }\n}\n");
  std::vector<std::vector<std::string>> kinds = {
      {"C(i,j) = 2 * A(i,k) * B(k,j)"},
      {"C(i,j) = 2 * A(i,k) * B(k,j)", "-s", "workspace w(j) for A(i,k) * B(k,j)"},
      {"for i { let w(j) = 0; for k { for j { w(j) += A(i,k)*B(k,j); } } for j { C(i,j) = 2*w(j); } }"}};
  if (cfront::is_available()) kinds.push_back({"--from", "product.c:product"});
  for (std::size_t k = kinds.size(); k-- > 1;) // not in the first, which has no local
    for (const char *layout : {"w=listed", "w=hashed", "w=bitmap", "w=dense<0>"}) {
      kinds.push_back(kinds[k]);
      kinds.back().insert(kinds.back().end(), {"-f", layout});
    }
  std::set<std::string> results;
  for (std::vector<std::string> arguments : kinds) {
    arguments.insert(arguments.begin(), "run");
    for (const char *more : {"-f", "A=csr", "-f", "B=csr", "-i", "A=banded:9,width=2", "-i",
                             "B=banded:9,width=1", "-o", "C=C.mtx", "--check"})
      arguments.emplace_back(more);
    Outcome outcome = desk.unravel(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    results.insert(rounded(desk.read("C.mtx")));
  }
  EXPECT_EQ(results.size(), 1u);
  Outcome refused = desk.unravel({"explain", kinds[2][0], "-f", "w=sv"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(
      refused.error.find("nothing determines the position `p` of coordinates (i), and with another entry "),
      std::string::npos)
      << refused.error;
}

/// Where no term of a dividend is stored, nobody asks for the divisor.
TEST(ToolProgram, ADivisorIsMissedWhereADividendIsStored) {
  Desk desk;
  const std::string head = "%%MatrixMarket matrix coordinate real general\n2 2 1\n";
  desk.write("A.mtx", head + "1 1 5\n");
  desk.write("B.mtx", head + "2 2 7\n");
  desk.write("D.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n");
  std::vector<std::string> arguments = {"run",    "for i { for j { y(i) += (A(i,j) + B(i,j)) / D(i,j); } }",
                                        "-f",     "A=csr",
                                        "-f",     "B=csr",
                                        "-f",     "D=csr",
                                        "-i",     "A=A.mtx",
                                        "-i",     "B=B.mtx",
                                        "-i",     "D=D.mtx",
                                        "--check"};
  Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  desk.write("D.mtx", head + "1 1 2\n");
  outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.error.find("[divisor-not-stored]"), std::string::npos) << outcome.error;
}

/// One that follows from the coordinates, and one that is new.
TEST(ToolProgram, ALocalOfTwoPositions) {
  Desk desk;
  desk.write("two.layout",
             "layout two(i: M) {\n  index idx[NNZ], map[M];\n  count NNZ;\n  value val[NNZ];\n"
             "  stored { [a, p] -> [i] : a = i and 0 <= a < M and 0 <= p < NNZ and i = idx(p) and "
             "map(i) = p } at val(p);\n"
             "  property range idx in [0, M);\n  property forall i : -1 <= map(i) < NNZ;\n"
             "  property forall i : 0 <= map(i) => idx(map(i)) = i;\n"
             "  property forall p : map(idx(p)) = p;\n}\n");
  Outcome outcome =
      desk.unravel({"run", "for i { let w(j) = 0; for j { w(j) += A(i,j); } for j { y(i) += w(j)*w(j); } }",
                    "-f", "A=csr", "-f", "w=./two.layout", "-i", "A=banded:9,width=2", "--check"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
}

/// A local isn't looked for: what it hasn't is zero.
TEST(ToolProgram, ALocalThatDividesIsDense) {
  Desk desk;
  const std::string program =
      "for i { let w(j) = 0; for j { w(j) += A(i,j); } for j { y(i) += B(i,j) / w(j); } }";
  for (const char *layout : {"w=listed", "w=hashed", "w=bitmap"}) {
    Outcome refused = desk.unravel({"compile", program, "-f", "A=csr", "-f", "B=csr", "-f", layout});
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.error.find("choose a dense layout: what isn't stored is zero"), std::string::npos)
        << refused.error;
  }
  EXPECT_EQ(desk.unravel({"compile", program, "-f", "A=csr", "-f", "B=csr", "-f", "w=dense"}).code, 0);
}

/// The second row of A is empty: that of C isn't multiplied with a sum which is zero.
TEST(ToolProgram, ASumOfNothingMeetsNoInfinity) {
  Desk desk;
  desk.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 2 1\n1 3 1\n");
  desk.write("C.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\ninf\n1\ninf\n");
  Outcome outcome =
      desk.unravel({"run", "Y(q,r) = A(i,k) * C(i,q) * D(k,r)", "-f", "A=csr", "-i", "A=A.mtx", "-i",
                    "C=C.mtx", "-i", "D=ones:3x2", "-o", "Y=Y.mtx", "--check", "-s", "order i, A.p, q, r"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("sums over r in a local, then times C"), std::string::npos) << outcome.out;
  EXPECT_NE(desk.read("Y.mtx").find("\n3\n3\n3\n3\n"), std::string::npos) << desk.read("Y.mtx");
}

const std::string band = "tensor A(n,n), x(n), y(n); size k; for i in [0,n) { for j in [i-k,i+k+1) "
                         "{ if 0 <= j < n { y(i) += A(i,j)*x(j); } } }";
const std::string diagonal =
    "tensor A(n,n), x(n), y(n); size k; for j in [0,n-k) { y(j) += A(j,j+k)*x(j+k); }";
const std::string rows = "tensor A(n,m), x(m), y(n); size low, high; for i in [low,high) { for j in [0,m) "
                         "{ y(i) += A(i,j)*x(j); } }";

/// Sizes that no tensor has are inputs.
TEST(ToolProgram, GivenSizes) {
  Desk desk;
  for (const char *k : {"-2", "0", "1", "3", "100", "1000000000000"})
    for (const char *layout : {"csr", "csc", "coo", "dense"}) {
      Outcome outcome =
          desk.unravel({"run", band, "-f", std::string("A=") + layout, "-i", "A=random:30x30,density=0.4",
                        "-i", "x=random", "-i", std::string("k=") + k, "--check", "--json"});
      ASSERT_EQ(outcome.code, 0) << k << layout << outcome.error;
      EXPECT_TRUE(outcome.json().at("check").at("ok")) << k << layout;
      EXPECT_EQ(outcome.json().at("sizes").at("k"), std::stoll(k));
    }
  Outcome outcome = desk.unravel({"run", rows, "-f", "A=csr", "-i", "A=ones:4x3", "-i", "x=ones", "-i",
                                  "low=1", "--size", "high=3", "-o", "y=y.mtx", "--check"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(desk.read("y.mtx").find("\n0\n3\n3\n0\n"), std::string::npos) << desk.read("y.mtx");
  EXPECT_NE(outcome.out.find("\nhigh  3\nlow   1\n"), std::string::npos) << outcome.out;
}

/// The chunks of a parallel loop are computed from the number of its iterations, also where there are none.
TEST(ToolProgram, LoopsThatEndBeforeTheyBegin) {
  Desk desk;
  desk.write("A.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
  const char *next = "tensor A(n,n), x(n), y(n); for j in [0,n-1) { y(j) += A(j,j+1)*x(j+1); }";
  EXPECT_EQ(desk.unravel({"run", next, "-f", "A=csr", "-i", "A=A.mtx", "-i", "x=ones"}).code, 0);
  for (const char *schedule : {"parallel j", "serial"})
    for (const char *k : {"4", "5", "6", "100"})
      EXPECT_EQ(desk.unravel({"run", diagonal, "-f", "A=csr", "-s", schedule, "-i", "A=ones:4x4", "-i",
                              "x=ones", "-i", std::string("k=") + k, "--check"})
                    .code,
                0)
          << k;
}

TEST(ToolProgram, AMainProgramIsGivenSizes) {
  if (!has_program("gcc")) GTEST_SKIP() << "no gcc";
  Desk desk;
  Outcome outcome = desk.unravel({"compile", diagonal, "-f", "A=csr", "--main", "-o", "diagonal.c"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  outcome = desk.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-fopenmp", "diagonal.c",
                          "-o", "diagonal", "-lm"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  outcome = desk.execute({"./diagonal", "A=ones:3x3", "x=ones", "k=1", "-o", "y.mtx"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(desk.read("y.mtx").find("\n1\n1\n0\n"), std::string::npos) << desk.read("y.mtx");
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused = {
      {{"k=-1"}, "error: diagonal: the tensors' sizes don't fit together, or this doesn't hold: k >= 0\n"},
      {{}, "error: k: this size is not given; see --help\n"},
      {{"k=1", "k=1"}, "error: k=1: the size is given twice\n"},
      {{"k=abc"}, "error: k=abc: a size is an integer of up to 2^53\n"},
      {{"k="}, "error: k=: a size is an integer of up to 2^53\n"},
      {{"k=99999999999999999999"}, "error: k=99999999999999999999: a size is an integer of up to 2^53\n"},
  };
  for (const auto &[arguments, message] : refused) {
    std::vector<std::string> command = {"./diagonal", "A=ones:3x3", "x=ones"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    outcome = desk.execute(command);
    EXPECT_EQ(outcome.code, arguments == std::vector<std::string>{"k=-1"} ? 1 : 2) << message;
    EXPECT_EQ(outcome.error, message);
  }
  EXPECT_NE(desk.execute({"./diagonal", "--help"}).out.find(" k=INTEGER"), std::string::npos);
  const char *band_solve = "tensor L(n,n), b(n), x(n); size k; for i in [0,n) { let s = b(i); "
                           "for j in [i-k,i) { if j >= 0 { s -= L(i,j)*x(j); } } x(i) = s / L(i,i); }";
  outcome =
      desk.unravel({"compile", band_solve, "-f", "L=csr", "-s", "wavefront i", "--main", "-o", "solve.c"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  outcome = desk.execute(
      {"gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-fopenmp", "solve.c", "-o", "solve", "-lm"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  desk.write(
      "L.mtx",
      "%%MatrixMarket matrix coordinate real general\n3 3 6\n1 1 1\n2 1 1\n2 2 1\n3 1 1\n3 2 1\n3 3 1\n");
  for (const auto &[k, x] : {std::pair("k=1", "\n1\n0\n1\n"), std::pair("k=2", "\n1\n0\n0\n")}) {
    outcome = desk.execute({"./solve", "L=L.mtx", "b=ones", k, "-o", "x.mtx"});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_NE(desk.read("x.mtx").find(x), std::string::npos) << desk.read("x.mtx");
  }
}

TEST(ToolProgram, WrongSizes) {
  Desk desk;
  const std::vector<std::string> start = {"run", "",        "-f", "A=csr", "-i", "A=random:5x5,density=0.5",
                                          "-i",  "x=random"};
  const std::vector<std::pair<std::string, std::vector<std::string>>> all = {
      {diagonal, {}},
      {diagonal, {"-i", "k=abc"}},
      {diagonal, {"-i", "k=1.5"}},
      {diagonal, {"-i", "k="}},
      {diagonal, {"-i", "k=1", "-i", "k=2"}},
      {diagonal, {"-i", "k=1", "--size", "k=2"}},
      {diagonal, {"-i", "kk=1", "-i", "k=1"}},
      {diagonal, {"-i", "k=-1"}},
      {diagonal, {"-i", "k=1", "-i", "n=6"}},
      {diagonal, {"-i", "k=99999999999999999999"}},
      {rows, {"-i", "low=0", "-i", "high=6"}},
      {rows, {"-i", "low=-1", "-i", "high=2"}},
      {"tensor A(n,n), x(n), y(n); size k >= 2; for i in [0,n) { y(i) += A(i,k)*x(i); }", {"-i", "k=1"}},
      {"tensor A(n,n), x(n), y(n); size k >= 2; for i in [0,n) { y(i) += A(i,k)*x(i); }", {"-i", "k=5"}},
      {"tensor A(n,n), x(n), y(n); size k; for i in [0,n) { for j in [i-k,i+k+1) { y(i) += A(i,j)*x(j); } }",
       {"-i", "k=1"}},
      {"tensor A(n,n), x(n), y(n); size k; for i in [0,n) { y(i) += A(i,i)*x(2*i+k); }", {"-i", "k=1"}},
  };
  std::string text;
  for (const auto &[program, arguments] : all) {
    std::vector<std::string> command = start;
    command[1] = program;
    command.insert(command.end(), arguments.begin(), arguments.end());
    Outcome outcome = desk.unravel(command);
    EXPECT_TRUE(outcome.code == 1 || outcome.code == 2) << outcome.out << outcome.error;
    EXPECT_EQ(desk.files().size(), 0u);
    text += program;
    for (const std::string &word : arguments)
      text += "  " + word;
    text += "\n" + std::to_string(outcome.code) + " " + outcome.error + "\n";
  }
  unravel::test::golden_check("tool", "refused_sizes", text);
}

TEST(ToolProgram, SizesByName) {
  Desk desk;
  Outcome outcome = desk.unravel({"run", "for i { y(i) += 2; }", "--size", "i=4", "-o", "y=y.mtx"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(desk.read("y.mtx").find("\n2\n2\n2\n2\n"), std::string::npos) << desk.read("y.mtx");
}

} // namespace
} // namespace unravel::tool::test
