// The nest tree: what statements share, the ranges of shared loops, levels in the order that sharing needs.
#include "scan/tree.h"

#include "scan_text.h"

#include <gtest/gtest.h>

namespace unravel::test {
namespace {

using scan::Level;
using term::Term;

Term name(const std::string &of) {
  return term::variable(of);
}

Level loop(const std::string &variable, Term lower, Term upper, std::vector<Term> guards = {}) {
  Level level;
  level.variable = variable;
  level.lower = std::move(lower);
  level.upper = std::move(upper);
  level.guards = std::move(guards);
  return level;
}

Level let(const std::string &variable, Term value, std::vector<Term> guards = {}) {
  Level level;
  level.kind = Level::Kind::Let;
  level.variable = variable;
  level.value = std::move(value);
  level.guards = std::move(guards);
  return level;
}

struct Source {
  combine::IterationSpace space;
  scan::Nest nest;
};

Source source(std::vector<int> place, const std::vector<Level> &levels) {
  Source made;
  made.space.place = std::move(place);
  made.nest.levels = levels;
  for (std::size_t k = 0; k + 1 < made.space.place.size(); ++k)
    made.space.loops.push_back(levels[k].variable);
  return made;
}

std::vector<scan::Node> tree_of(const std::vector<Source> &statements) {
  std::vector<scan::Nested> nested;
  for (std::size_t k = 0; k < statements.size(); ++k)
    nested.push_back({k, &statements[k].space, &statements[k].nest});
  return scan::nest_tree(nested);
}

TEST(NestTree, StatementsShareLoopsAsTheirPlacesSay) {
  const Level i = loop("i", Term(0), name("M")), j = loop("j", Term(0), name("N"));
  EXPECT_EQ(scan::to_text(tree_of({source({0, 0, 0}, {i, j}), source({0, 0, 1}, {i, j}), source({0, 1}, {i}),
                                   source({1, 0}, {i})})),
            "loop i in [0, M)\n"
            "  loop j in [0, N)\n"
            "    statement 0\n"
            "    statement 1\n"
            "  statement 2\n"
            "statement 3\n");
}

TEST(NestTree, ASharedLoopRunsOverAllRanges) {
  const Source whole = source({0, 0}, {loop("i", Term(0), name("N"))});
  const Source inner = source({0, 1}, {loop("i", term::maximum({Term(0), name("k")}), name("N"))});
  const Source other = source({0, 2}, {loop("i", Term(0), name("M"))});
  const std::vector<scan::Node> tree = tree_of({whole, inner, other});
  EXPECT_EQ(scan::to_text(tree), "loop i in [0, max(N, M))\n  statement 0\n  statement 1\n  statement 2\n");
  auto conditions = [&](const Source &of) {
    return term::to_text(term::conjunction(scan::conditions_of(of.nest.levels[0], tree[0])));
  };
  EXPECT_EQ(conditions(whole), "i < N");
  EXPECT_EQ(conditions(inner), "k <= i and i < N");
  EXPECT_EQ(conditions(other), "i < M");
}

TEST(NestTree, ALoopThatNoOtherStatementHasIsANodeWhereAskedFor) {
  const Source alone = source({0, 0}, {loop("i", Term(0), name("N"))});
  EXPECT_EQ(scan::to_text(scan::nest_tree({{0, &alone.space, &alone.nest, true}})),
            "loop i in [0, N)\n  statement 0\n");
}

TEST(FirstLoops, AssignmentsAndConditionsStandBehindThem) {
  const Source statement =
      source({0, 0, 0}, {loop("i", Term(0), name("M"), {term::less(name("i"), name("k"))}),
                         loop("j", Term(0), name("N"))});
  scan::Nest nest = statement.nest;
  nest.levels.insert(nest.levels.begin() + 1,
                     let("b", name("i") + Term(1), {term::less(Term(0), name("b"))}));
  nest.levels[2].lower = name("b");
  nest.levels[2].guards = {term::less(name("b"), name("j"))};
  EXPECT_EQ(scan::to_text(scan::with_first_loops(nest, statement.space, 2)), "loop i in [0, M)\n"
                                                                             "loop j in [i + 1, N)\n"
                                                                             "  if i < k\n"
                                                                             "let b = i + 1\n"
                                                                             "  if 1 <= b\n"
                                                                             "  if b < j\n");
  EXPECT_EQ(scan::to_text(scan::with_first_loops(nest, statement.space, 0)), scan::to_text(nest));
}

TEST(FirstLoops, OneValueIsALoop) {
  const Source statement = source({0, 0}, {let("i", Term(3))});
  EXPECT_EQ(scan::to_text(scan::with_first_loops(statement.nest, statement.space, 1)), "loop i in [3, 4)\n");
}

TEST(FirstLoops, ALoopFurtherInMayHaveItsValueBefore) {
  Source statement =
      source({0, 0, 0}, {let("t", name("i")), let("i", Term(1), {term::less(Term(1), name("N"))})});
  std::swap(statement.nest.levels[0], statement.nest.levels[1]);
  EXPECT_EQ(scan::to_text(scan::with_first_loops(statement.nest, statement.space, 2)),
            "loop t in [1, 2)\nloop i in [1, 2)\n  if 2 <= N\n");
}

TEST(FirstLoops, WhatIsFoundIsTested) {
  Source statement = source({0, 0}, {loop("i", Term(0), name("M"))});
  statement.nest.levels[0].kind = Level::Kind::Find;
  statement.nest.levels[0].components = {{term::apply("A.there", {name("i")}), Term(1), Term(1)},
                                         {term::apply("A.begin", {name("i")}), name("p"), name("w")}};
  EXPECT_EQ(scan::to_text(scan::with_first_loops(statement.nest, statement.space, 1)),
            "loop i in [0, M)\n"
            "  if A.there(i) = 1\n"
            "  if A.begin(i) <= p and p < w + A.begin(i)\n");
}

TEST(FirstLoops, NoLoopStandsInBetween) {
  Source statement = source({0, 0}, {loop("i", Term(0), name("M"))});
  statement.nest.levels.insert(statement.nest.levels.begin(), loop("A.p", Term(0), name("NNZ")));
  statement.space.span = {source_named("y.p", "y(i) += A(i, j)"), 0, 15};
  const std::string message = text_or_message(
      [&] { return scan::to_text(scan::with_first_loops(statement.nest, statement.space, 1)); });
  EXPECT_EQ(
      message.substr(0, message.find('\n')),
      "y.p:1:1: error: the loop over `i` is shared with other statements, but here it depends on what is "
      "stored in a sparse tensor [not-supported]");
}

} // namespace
} // namespace unravel::test
