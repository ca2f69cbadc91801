// What the programs of `compile --main` refuse, as `run` does: files that a layout can't hold.
#include "tool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

const std::string head = "%%MatrixMarket matrix coordinate real general\n";

class ProgramRefusals : public testing::Test {
protected:
  void SetUp() override {
    if (!has_program("gcc")) GTEST_SKIP() << "the program gcc is not installed";
  }

  void build(const std::string &line, const std::vector<std::string> &options) {
    std::vector<std::string> command{"compile", line, "--main", "-o", "program.c"};
    command.insert(command.end(), options.begin(), options.end());
    const Outcome made = desk_.unravel(command);
    ASSERT_EQ(made.code, 0) << made.error;
    const Outcome compiled = desk_.execute({"gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror",
                                            "-fsanitize=address,undefined", "-fno-sanitize-recover",
                                            "program.c", "-o", "program", "-lm"});
    ASSERT_EQ(compiled.code, 0) << compiled.error;
  }

  /// What it prints, without the line of the time; or its error.
  std::string run(const std::vector<std::string> &arguments) const {
    std::vector<std::string> command{"env", "ASAN_OPTIONS=detect_leaks=0", "./program"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Outcome ran = desk_.execute(command);
    EXPECT_EQ(ran.code, ran.error.empty() ? 0 : 1) << ran.error;
    return ran.error.empty() ? ran.out.substr(ran.out.find('\n') + 1) : ran.error;
  }

  Desk desk_;
};

TEST_F(ProgramRefusals, SizesThatBreakAProperty) {
  desk_.write("thirds.layout",
              "layout thirds(i: N) {\n  count B = floor(N / 3);\n  property N = 3*B;\n"
              "  value val[B, 3];\n  stored { [b, r] -> [i] : i = 3*b + r and 0 <= r < 3 and "
              "0 <= b < B } at val(b, r);\n}\n");
  build("s = x(i)", {"-f", "x=thirds.layout"});
  EXPECT_EQ(run({"x=ones:6"}), "s: 1 values, sum 6, first: 6\n");
  EXPECT_EQ(run({"x=ones:4"}), "error: x: it can't be packed\n");
  // `run`, too, where no entry can tell.
  desk_.write("square.layout",
              "layout square(i: M, j: N) {\n  value val[M, M];\n  property M = N;\n  stored { "
              "[r, c] -> [i, j] : i = r and j = c and 0 <= r < M and 0 <= c < N } at val(r, c);\n}\n");
  const auto summed = [&](const std::string &input) {
    return desk_.unravel({"run", "s = A(i,j)", "-f", "A=square.layout", "-i", "A=" + input});
  };
  EXPECT_EQ(summed("ones:3x3").code, 0);
  EXPECT_NE(summed("ones:3x4").error.find("`M = N` does not hold"), std::string::npos);
}

TEST_F(ProgramRefusals, ModesOfOneSize) {
  build(spmv, {"-f", "A=symmetric_csr"});
  desk_.write("tall.mtx", head + "4 3 2\n1 1 1\n2 2 5\n");
  desk_.write("square.mtx", head + "3 3 2\n1 1 1\n2 2 5\n");
  EXPECT_EQ(run({"A=tall.mtx", "x=ones"}), "error: A: the sizes of its modes differ, but must be equal\n");
  EXPECT_EQ(run({"A=zeros:3x2", "x=ones"}), "error: A: the sizes of its modes differ, but must be equal\n");
  EXPECT_EQ(run({"A=square.mtx", "x=ones"}), "y: 3 values, sum 6, first: 1 5 0\n");
}

TEST_F(ProgramRefusals, HalfOfASymmetricMatrix) {
  desk_.write("both.mtx", head + "3 3 5\n1 1 1\n1 3 5\n3 1 2\n3 1 3\n2 1 0\n");
  desk_.write("upper.mtx", head + "3 3 2\n1 1 1\n1 3 5\n");
  desk_.write("lower.mtx", head + "3 3 2\n1 1 1\n3 1 5\n");
  desk_.write("other.mtx", head + "3 3 3\n1 1 1\n1 3 5\n3 1 4\n");
  const std::string refused = "error: A: it can't be packed\n";
  for (const char *type : {"f32", "f64"}) {
    build(spmv, {"-f", "A=symmetric_csr", "--type", type});
    EXPECT_EQ(run({"A=both.mtx", "x=ones"}), "y: 3 values, sum 11, first: 6 0 5\n");
    for (const char *file : {"upper", "lower", "other"})
      EXPECT_EQ(run({fmt::format("A={}.mtx", file), "x=ones"}), refused) << file;
  }
  desk_.write("skew.mtx", head + "3 3 2\n1 3 -5\n3 1 5\n");
  build(spmv, {"-f", "A=skew_csr"});
  EXPECT_EQ(run({"A=skew.mtx", "x=ones"}), "y: 3 values, sum 0, first: -5 0 5\n");
  EXPECT_EQ(run({"A=other.mtx", "x=ones"}), refused);
  EXPECT_EQ(run({"A=lower.mtx", "x=ones"}), refused);
}

/// An entry's coordinate doesn't tell its place here: then nothing is compared, and the user is told.
TEST_F(ProgramRefusals, WarnsOfHalvesThatAreNotCompared) {
  desk_.write("permuted.layout", R"(layout permuted(i: N, j: N) {
  index row[N], ptr[N + 1], col[NNZ];
  count NNZ = ptr(N);
  value val[NNZ];
  stored { [k, p] -> [i, j] : 0 <= k < N and i = row(k) and ptr(k) <= p < ptr(k + 1) and j = col(p) } at val(p);
  stored { [k, p] -> [i, j] : 0 <= k < N and j = row(k) and ptr(k) <= p < ptr(k + 1) and i = col(p)
           and col(p) != row(k) } at val(p);
  property range row in [0, N);
  property injective row;
  property ptr(0) = 0;
  property increasing ptr;
  property range col in [0, N);
  property forall k, p : ptr(k) <= p < ptr(k + 1) => col(p) <= row(k);
  property strictly increasing col within ptr;
}
)");
  const Outcome made =
      desk_.unravel({"compile", spmv, "-f", "A=permuted.layout", "--main", "-o", "program.c"});
  EXPECT_EQ(made.code, 0);
  EXPECT_NE(
      made.error.find("the program doesn't test that the file of `A` has the entries that layout `permuted` "
                      "implies"),
      std::string::npos)
      << made.error;
  const Outcome told = desk_.unravel({"compile", spmv, "-f", "A=symmetric_csr", "--main", "-o", "program.c"});
  EXPECT_EQ(told.error, "");
}

/// Positions have other names and another order in the second piece, and b is half of a coordinate.
TEST_F(ProgramRefusals, HalfOfTheBlocksOfASymmetricMatrix) {
  desk_.write("halves.layout", R"(layout halves<B>(i: N, j: N) {
  count NB;
  property N = B*NB;
  index ptr[NB + 1], bcol[NNZB];
  count NNZB = ptr(NB);
  value val[NNZB, B, B];
  stored { [b, p, r, c] -> [i, j] : 0 <= b < NB and ptr(b) <= p < ptr(b + 1) and 0 <= r < B and 0 <= c < B
           and i = B*b + r and j = B*bcol(p) + c } at val(p, r, c);
  stored { [p, s, q, b] -> [i, j] : 0 <= b < NB and ptr(b) <= p < ptr(b + 1) and 0 <= s < B and 0 <= q < B
           and j = B*b + s and i = B*bcol(p) + q and bcol(p) != b } at val(p, s, q);
  property ptr(0) = 0;
  property increasing ptr;
  property range bcol in [0, NB);
  property strictly increasing bcol within ptr;
  property forall b, p : ptr(b) <= p < ptr(b + 1) => bcol(p) <= b;
}
)");
  build(spmv, {"-f", "A=./halves.layout:halves<2>"});
  desk_.write("both.mtx", head + "4 4 4\n1 1 1\n1 2 7\n1 4 5\n4 1 5\n");
  desk_.write("other.mtx", head + "4 4 4\n1 1 1\n1 2 7\n1 4 5\n4 2 5\n");
  EXPECT_EQ(run({"A=both.mtx", "x=ones"}), "y: 4 values, sum 18, first: 13 0 0 5\n");
  EXPECT_EQ(run({"A=other.mtx", "x=ones"}), "error: A: it can't be packed\n");
  EXPECT_EQ(run({"A=ones:5x5", "x=ones"}), "error: A: it can't be packed\n");
}

} // namespace
} // namespace unravel::tool::test
