// What docs/index-notation.md and docs/programs.md show is computed, in layouts of all kinds.
#include "cfront/cfront.h"
#include "run/shown.h"
#include "run/sweep.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <regex>
#include <unistd.h>

namespace unravel::run::test {

namespace {

/// Of the page on index notation.
std::vector<std::string> assignments() {
  std::vector<std::string> found;
  for (const ShownLine &line : lines_in("index-notation.md"))
    found.push_back(line.text);
  return found;
}

/// Programs, and functions in C (true).
std::vector<std::pair<std::string, bool>> programs() {
  std::vector<std::pair<std::string, bool>> found;
  for (const std::string &block : shown_in("programs.md").blocks) {
    static const std::regex begin("(^|  )(operator|tensor|for) [^`]*\\{");
    std::smatch match;
    if (block.starts_with("void "))
      found.emplace_back(block, true);
    else if (std::regex_search(block, match, begin))
      found.emplace_back(block.substr(static_cast<std::size_t>(match.position())), false);
  }
  return found;
}

template <class T> const T &one_of(const std::vector<T> &of, std::mt19937_64 &random) {
  return of[random() % of.size()];
}

/// With a layout for each operand, by chance. What divides in index notation is dense.
Problem with_layouts(Problem problem, std::mt19937_64 &random) {
  std::vector<std::string> matrices = shipped_matrices();
  for (const auto *more : {&literature_matrices(), &literature_squares(), &odd_matrices()})
    matrices.insert(matrices.end(), more->begin(), more->end());
  const bool is_program = problem.expression.find('{') != std::string::npos;
  for (const compute::TensorUse &use : pipeline::read_request(problem.request()).computation.tensors) {
    const bool divides = !is_program && problem.expression.find("/ " + use.name) != std::string::npos;
    if (use.is_result || divides || use.order == 0) continue;
    problem.formats[use.name] = use.order == 1   ? is_program ? "dense" : one_of(vectors(), random)
                                  : use.order == 2 ? one_of(matrices, random)
                                                 : one_of(literature_tensors(), random);
  }
  return problem;
}

/// In several choices of layouts, one of which is accepted.
void check(const Problem &problem, std::mt19937_64 &random) {
  SCOPED_TRACE(problem.text());
  std::size_t kernels = 0, runs = 0;
  for (int choice = 0; choice < (take_all() ? 24 : 1) || (kernels == 0 && choice < 24); ++choice) {
    const Problem chosen = choice == 0 && take_all() ? problem : with_layouts(problem, random);
    try {
      if (!check_on_small_inputs(Interpreted(chosen), 2, true, random, runs)) return;
    } catch (const report::Error &error) {
      EXPECT_TRUE(is_limit(error)) << chosen.text() << "\n" << error.what();
      continue;
    }
    ++kernels;
    check_as_c({chosen}, {1, 2, 3}, random);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(kernels, 0u) << "every choice of layouts is refused";
  EXPECT_GT(runs, 0u);
}

} // namespace

TEST(Docs, assignments_of_index_notation) {
  std::mt19937_64 random(71);
  const std::vector<std::string> all = assignments();
  for (const std::string &text : all)
    check({text, {}, {}, {}}, random);
  EXPECT_GE(all.size(), 18u);
}

/// The table of results with an operand's structure.
TEST(Docs, results_with_an_operands_structure) {
  std::mt19937_64 random(72);
  std::size_t structures = 0, runs = 0;
  for (const auto &[text, fills, lender] : lines_in("index-notation.md")) {
    if (lender.empty()) continue;
    const char *layout = text.find("(i,j,k)") != std::string::npos ? "csf3" : "dcsr";
    const Problem problem{text, {{lender, layout}, {"D", "like:" + lender}}, {}, {}};
    SCOPED_TRACE(problem.text());
    ASSERT_TRUE(check_on_small_inputs(Interpreted(problem), 6, true, random, runs));
    ++structures;
  }
  EXPECT_GE(structures, 4u);
}

TEST(Docs, programs) {
  std::mt19937_64 random(73);
  const std::vector<std::pair<std::string, bool>> all = programs();
  const std::string file = testing::TempDir() + "unravel_docs_" + std::to_string(getpid()) + ".c";
  for (const auto &[text, is_c] : all) {
    if (is_c && !cfront::is_available()) continue;
    if (is_c) std::ofstream(file) << text;
    Problem problem{text, {}, {}, {}};
    if (is_c) problem.from = file;
    check(problem, random);
  }
  EXPECT_GE(all.size(), 4u);
}

} // namespace unravel::run::test
