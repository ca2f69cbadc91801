// Kernels over compositions of level formats (-f A=ds) and over hash tables, packed and called, against the
// reference evaluator.
#include "run/compiled.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::run::test;

namespace {

const std::vector<std::string> vectors = {"d", "s", "u", "hash_vector<3>"};
const std::vector<std::string> matrices = {"dd",
                                           "ds",
                                           "sd",
                                           "ss",
                                           "uq",
                                           "du",
                                           "ds:1,0",
                                           "ss:1,0",
                                           "uq:1,0",
                                           "sro",
                                           "sro:1,0",
                                           "csf",
                                           "hash_matrix<4>",
                                           "@tables/table_of_rows",
                                           "@tables/table_of_dense",
                                           "@tables/rows_of_tables",
                                           "@tables/tables_twice",
                                           "@tables/tables_apart",
                                           "@tables/row_tables",
                                           "@tables/pairs",
                                           "@tables/runs_down"};
const std::vector<std::string> tensors = {"sss",  "ucq",  "dss",        "dsd",
                                          "suq",  "sdd",  "duq",        "sss:2,0,1",
                                          "dsro", "srod", "csf<1,2,0>", "@tables/tables_thrice"};

Problem problem_of(const std::string &expression, const std::map<std::string, std::string> &formats) {
  Problem problem;
  problem.expression = expression;
  for (const auto &[tensor, format] : formats)
    problem.formats[tensor] = format;
  return problem;
}

TEST(LevelFormats, kernels_over_every_composition) {
  std::vector<Problem> problems;
  for (const std::string &matrix : matrices) {
    const std::string &vector = vectors[problems.size() % vectors.size()];
    problems.push_back(problem_of("y(i) = A(i,j) * x(j)", {{"A", matrix}, {"x", vector}}));
    const std::string &other = matrices[(problems.size() * 4) % matrices.size()];
    problems.push_back(problem_of("s = A(i,j) * B(i,j)", {{"A", matrix}, {"B", other}}));
  }
  for (const std::string &tensor : tensors) {
    problems.push_back(problem_of("Y(i,j) = A(i,j,k) * x(k)", {{"A", tensor}, {"x", "s"}}));
    const std::string &other = tensors[(problems.size() * 3) % tensors.size()];
    problems.push_back(problem_of("s = A(i,j,k) * B(i,j,k)", {{"A", tensor}, {"B", other}}));
  }
  problems.push_back(problem_of("Y(i,j) = A(i,j,k,l,m) * x(m)", {{"A", "csf"}, {"x", "s"}}));
  problems.push_back(problem_of("s = A(i,j,k,l,m) * B(i,j,k,l,m)", {{"A", "csf"}, {"B", "csf<4,3,2,1,0>"}}));
  std::mt19937_64 random(7);
  int calls = 0;
  for (const Problem &problem : problems) {
    Packer packer(problem);
    Compiled kernel(problem);
    for (const Sizes &sizes : sizes_of_all_kinds(packer.front().computation))
      if (std::optional<PackedCase> input = packer.draw(sizes, random)) {
        ++calls;
        if (!kernel.check(std::move(*input), 1 + calls % 2)) return;
      }
  }
  EXPECT_GT(calls, 100);
}

} // namespace
