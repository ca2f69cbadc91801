// What is asked of nests.
#include "scan/nest.h"

#include <gtest/gtest.h>

namespace unravel::scan {
namespace {

Level made(Level::Kind kind, const std::string &variable, const term::Term &value = {}) {
  Level level;
  level.kind = kind, level.variable = variable, level.value = value;
  return level;
}

TEST(Nest, values_through_lets_are_over_loops_alone) {
  const term::Term i = term::variable("i"), r = term::variable("A.r");
  const std::vector<Level> levels{made(Level::Kind::Loop, "i"),
                                  made(Level::Kind::Let, "A.r", i + term::Term(1)),
                                  made(Level::Kind::Let, "j", term::apply("A.col", {r}) + r)};
  EXPECT_EQ(term::to_text(through_lets(term::apply("A.rowptr", {r}), levels)), "A.rowptr(i + 1)");
  EXPECT_EQ(term::to_text(through_lets(term::variable("j"), levels)), "i + A.col(i + 1) + 1");
  EXPECT_EQ(term::to_text(through_lets(term::variable("j"), levels, 2)), "A.r + A.col(A.r)");
  EXPECT_EQ(through_lets(i, levels), i);
}

TEST(Nest, loops_between_levels) {
  const std::vector<Level> levels{made(Level::Kind::Loop, "i"), made(Level::Kind::Let, "A.r"),
                                  made(Level::Kind::Find, "B.p"), made(Level::Kind::Loop, "k")};
  EXPECT_EQ(loops_between(levels, 0, 4), 2u);
  EXPECT_EQ(loops_between(levels, 1, 3), 0u);
}

} // namespace
} // namespace unravel::scan
