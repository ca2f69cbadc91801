// Segments that may end before they begin: whatever is asked for, a kernel reads nothing outside of its
// arrays (the interpreter looks at each access), and finds what is there.
#include "report/diagnostic.h"
#include "run/interpreted.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::run::test;

namespace {

/// All finds that may be asked for; none of them: what is chosen.
const std::vector<std::string> methods = {"", "seq", "gallop", "binary", "map", "hash", "scan"};

void expect_right(Problem problem, const std::string &found, std::size_t &kernels, std::size_t &runs,
                  std::mt19937_64 &random) {
  for (const std::string &method : methods) {
    if (!method.empty() && found.empty()) return;
    problem.finds.clear();
    if (!method.empty()) problem.finds = {found + "=" + method};
    SCOPED_TRACE(problem.text());
    std::optional<Interpreted> kernel;
    try {
      kernel.emplace(problem);
    } catch (const report::Error &error) {
      const bool is_refused = error.diagnostic().kind == report::Kind::find_not_proved ||
                              error.diagnostic().kind == report::Kind::not_parallel;
      EXPECT_TRUE(is_refused && method != "scan") << error.what();
      continue;
    }
    ++kernels;
    for (const Sizes &sizes : small_sizes(kernel->compilation().computation))
      for (const SmallCase &input : kernel->inputs(sizes, take_all() ? 2000 : 60, random)) {
        loop::InterpretOptions options;
        options.iteration_budget = 10'000;
        options.permute_parallel = runs % 2 == 1;
        options.seed = runs++;
        if (!kernel->check(input, options)) return;
      }
  }
}

} // namespace

TEST(LooseSegments, NothingOutsideIsRead) {
  std::mt19937_64 random(22);
  std::size_t kernels = 0, runs = 0;
  for (const char *layout :
       {"@loose/pair", "@loose/pair_sorted", "@loose/pointers", "@loose/pointers_sorted"}) {
    expect_right({"s = A(i,j) * B(i,j)", {{"A", "coo"}, {"B", layout}}, {"order i, A.p, j, B.p"}}, "B.p",
                 kernels, runs, random);
    expect_right({"s = A(i,j) * B(i,j)", {{"A", "csr"}, {"B", layout}}, {"order i, A.p, j, B.p"}}, "B.p",
                 kernels, runs, random);
    expect_right({"C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}, {"B", layout}}, {"order i, j, A.p"}}, "B.p",
                 kernels, runs, random);
    expect_right({"y(i) = A(i,j) * x(j)", {{"A", layout}, {"x", "sv"}}, {"order i, A.p, x.p"}}, "x.p",
                 kernels, runs, random);
    for (const char *schedule :
         {"parallel i", "parallel i balanced", "tile j by 2; order j.tile, i", "unroll A.p by 2"})
      expect_right({"y(i) = A(i,j) * x(j)", {{"A", layout}}, {schedule}}, "", kernels, runs, random);
  }
  EXPECT_GT(kernels, 40u);
  EXPECT_GT(runs, 1000u);
}
