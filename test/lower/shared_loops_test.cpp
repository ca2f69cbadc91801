// The nest tree as loops: where scalars are declared, which names statements have in common.
#include "lower/shared_loops.h"

#include <gtest/gtest.h>

namespace unravel::test {
namespace {

using term::Term;

loop::Statement let_block() {
  return {loop::Let{"b", term::variable("i") + Term(1)}};
}

lower::LoweredStatement statement(std::size_t number, const combine::IterationSpace &space,
                                  const plan::LeafPlan &plan, loop::Block inside) {
  return {number, &space, &plan, {1, {}}, {{{}}, std::move(inside)}, {}};
}

/// The scalar is set under a condition, behind a name that the next statement has, too: its declaration comes
/// in front of both.
TEST(SharedLoopsText, AScalarIsDeclaredInFrontOfNamesThatStatementsHaveInCommon) {
  combine::IterationSpace sets, adds;
  sets.sets = true;
  sets.target.tensor = sets.target.local = "s";
  adds.operands.emplace_back();
  adds.operands.back().tensor = adds.operands.back().local = "s";
  plan::LeafPlan plan;
  plan.nest.levels.resize(1);
  scan::Node loop{{0, 1}, 0, "i", Term(0), term::variable("N"), {}};
  loop.body = {{{0}, 1, "", {}, {}, {}}, {{1}, 1, "", {}, {}, {}}};

  const loop::Statement set{loop::Store{loop::Local{"s"}, {loop::Number{2}}}};
  loop::Block first{let_block(), {loop::If{term::less(term::variable("b"), Term(3)), {set}, ""}}};
  loop::Block second{let_block(),
                     {loop::Accumulate{loop::Element{"y.val", term::variable("b")}, {loop::Local{"s"}}}}};
  lower::LoweredStatements statements{statement(0, sets, plan, std::move(first)),
                                      statement(1, adds, plan, std::move(second))};
  EXPECT_EQ(loop::to_text(lower::in_shared_loops({loop}, std::move(statements), {})), "for i in 0 .. N {\n"
                                                                                      "  value s = 0\n"
                                                                                      "  let b = i + 1\n"
                                                                                      "  if b <= 2 {\n"
                                                                                      "    s = 2\n"
                                                                                      "  }\n"
                                                                                      "  y.val[b] += s\n"
                                                                                      "}\n");
}

} // namespace
} // namespace unravel::test
