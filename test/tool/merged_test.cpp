// Sums into assembled results whose operands are merged: whole kernels, against the reference and against the
// same sum through another local.
#include "tool/tool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::tool::test {
namespace {

using Texts = std::vector<std::string>;

/// One operand of a sum: its layout, and what is generated or read.
struct Operand {
  std::string layout, input;
};

/// A sum of all, `with(k)` being the k-th term.
struct Sum {
  std::string line;
  Texts arguments; // formats and inputs
};

/// 2*A(i,j) + B(i,j) - ..., of the first letters.
Sum sum_of(const std::vector<Operand> &operands, const std::string &subscripts, const std::string &result) {
  Sum sum;
  sum.line = "Z" + subscripts + " = ";
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const std::string name(1, static_cast<char>('A' + k));
    sum.line += std::string(k == 0 ? "2*" : k % 3 == 2 ? " - " : " + ") + name + subscripts;
    sum.arguments.insert(sum.arguments.end(),
                         {"-f", name + "=" + operands[k].layout, "-i", name + "=" + operands[k].input});
  }
  sum.arguments.insert(sum.arguments.end(), {"-f", "Z=" + result});
  return sum;
}

std::string run(const Desk &desk, const Sum &sum, const Texts &more) {
  Texts arguments{"run", sum.line, "--check", "-o", "Z=Z.mtx"};
  arguments.insert(arguments.end(), sum.arguments.begin(), sum.arguments.end());
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = desk.unravel(arguments);
  EXPECT_EQ(outcome.code, 0) << fmt::format("{}", fmt::join(arguments, " ")) << "\n" << outcome.error;
  return outcome.code == 0 ? desk.read("Z.mtx") : "";
}

/// Does the kernel merge, and keep no list?
bool merges(const Desk &desk, const Sum &sum) {
  Texts arguments{"explain", sum.line};
  for (std::size_t k = 0; k < sum.arguments.size(); k += 2)
    if (sum.arguments[k] == "-f") arguments.insert(arguments.end(), {"-f", sum.arguments[k + 1]});
  const Outcome shown = desk.unravel(arguments);
  EXPECT_EQ(shown.code, 0) << shown.error;
  return shown.out.find("\nw: merged\n") != std::string::npos &&
         shown.out.find("  merge w.i {") != std::string::npos &&
         shown.out.find("workspace w.map") == std::string::npos;
}

/// The k-th matrix of a shape: denser ones, sparse ones, one of every third without an entry.
std::string matrix(const std::string &shape, std::size_t k) {
  const char *densities[] = {"0.3", "0.05", "0", "0.9"};
  return fmt::format("random:{},density={},seed={}", shape, densities[k % 4], k + 1);
}

void check_merged(const Desk &desk, const Sum &sum) {
  SCOPED_TRACE(sum.line);
  EXPECT_TRUE(merges(desk, sum));
  const std::string merged = run(desk, sum, {});
  EXPECT_EQ(merged, run(desk, sum, {"-f", "w=bitmap"}));
}

TEST(ToolMerged, SumsOfMatrices) {
  const Desk desk;
  for (const char *shape : {"13x17", "1x1", "40x3"})
    for (std::size_t count : {2, 3, 4, 6, 8}) {
      std::vector<Operand> operands;
      for (std::size_t k = 0; k < count; ++k)
        operands.push_back({k % 3 == 1 ? "dcsr" : k % 3 == 2 ? "coo" : "csr", matrix(shape, k)});
      const Sum sum = sum_of(operands, "(i,j)", count % 2 ? "coo" : "csr");
      if (count <= 6)
        check_merged(desk, sum);
      else
        run(desk, sum, {}); // these are listed
    }
}

TEST(ToolMerged, IntoLayoutsByRowsAndByColumns) {
  const Desk desk;
  for (const char *result : {"csr", "dcsr", "coo", "csf"})
    check_merged(desk, sum_of({{"csr", matrix("20x12", 0)}, {"csr", matrix("20x12", 1)}}, "(i,j)", result));
  for (const char *result : {"csc", "dcsc", "csf<1, 0>"})
    check_merged(desk, sum_of({{"csc", matrix("9x12", 0)}, {"dcsc", matrix("9x12", 1)}}, "(i,j)", result));
}

TEST(ToolMerged, SumsOfVectors) {
  const Desk desk;
  for (const char *shape : {"50x1", "1x1"})
    for (std::size_t count : {2, 3, 6}) {
      std::vector<Operand> operands;
      for (std::size_t k = 0; k < count; ++k)
        operands.push_back({"sv", matrix(shape, k)});
      check_merged(desk, sum_of(operands, "(i)", "sv"));
    }
}

TEST(ToolMerged, TypesOfNumbers) {
  const Desk desk;
  const Sum sum = sum_of({{"csr", matrix("30x30", 0)}, {"dcsr", matrix("30x30", 1)}}, "(i,j)", "csr");
  for (const Texts &types :
       {Texts{"--type", "f32"}, Texts{"--index", "int64"}, Texts{"--type", "f32", "--index", "int64"}})
    run(desk, sum, types);
}

/// A term that some of its entries don't have makes no entry there.
TEST(ToolMerged, TermsThatAreNotEverywhere) {
  const Desk desk;
  for (const char *line : {"Z(i,j) = A(i,j) * d(j) + B(i,j)", "Z(i,j) = A(i,j) * d(j) + B(i,j) * d(j)",
                           "Z(i,j) = A(i,j) + B(i,j) * D(j,k)", "Z(i,j) = A(i,j) * d(j) - B(i,j) * D(i,j)"}) {
    Sum sum{line,
            {"-f", "A=csr", "-i", "A=" + matrix("15x15", 0), "-f", "B=csr", "-i",
             "B=random:15x15,density=0.4,seed=7", "-f", "Z=csr"}};
    const std::string text = line;
    if (text.find("d(j)") != std::string::npos)
      sum.arguments.insert(sum.arguments.end(), {"-f", "d=sv", "-i", "d=random:15x1,density=0.3"});
    if (text.find("D(") != std::string::npos)
      sum.arguments.insert(sum.arguments.end(), {"-f", "D=csr", "-i", "D=random:15x15,density=0.1,seed=3"});
    check_merged(desk, sum);
  }
}

/// The program that the line becomes, by hand; and one whose sums are used, and not kept.
TEST(ToolMerged, ProgramsByHand) {
  const Desk desk;
  const std::string sums = "for i { let w(j) = 0; for j { w(j) += A(i,j); } for j { w(j) += B(i,j); } ";
  const Texts operands{"-f", "A=csr", "-i", "A=" + matrix("25x18", 0),
                       "-f", "B=csr", "-i", "B=" + matrix("25x18", 1)};
  Texts by_line = operands, by_hand = operands;
  by_line.insert(by_line.end(), {"-f", "Z=csr"});
  by_hand.insert(by_hand.end(), {"-f", "Z=csr", "-f", "w=listed"});
  const Sum line{"Z(i,j) = A(i,j) + B(i,j)", by_line};
  const Sum program{sums + "for j { Z(i,j) = w(j); } }", by_hand};
  EXPECT_TRUE(merges(desk, program));
  EXPECT_EQ(run(desk, line, {}), run(desk, program, {}));
  const auto c_of = [&](const Sum &sum) {
    Texts arguments{"compile", sum.line};
    for (std::size_t k = 0; k < sum.arguments.size(); k += 2)
      if (sum.arguments[k] == "-f") arguments.insert(arguments.end(), {"-f", sum.arguments[k + 1]});
    const Outcome made = desk.unravel(arguments);
    EXPECT_EQ(made.code, 0) << made.error;
    return made.out.substr(made.out.find("int kernel("));
  };
  EXPECT_EQ(c_of(line), c_of(program));
  Texts norms = operands;
  norms.insert(norms.end(), {"-f", "w=listed"});
  const Sum squares{sums + "for j { Z(i) += w(j) * w(j); } }", norms};
  EXPECT_TRUE(merges(desk, squares));
  for (const char *threads : {"1", "2"})
    run(desk, squares, {"--threads", threads});
}

} // namespace
} // namespace unravel::tool::test
