// Terms of a nest with the values of Let levels put in.
#include "choose/lets.h"

#include <gtest/gtest.h>

namespace unravel::choose {
namespace {

TEST(Lets, values_are_over_loops_alone) {
  const term::Term i = term::variable("i"), r = term::variable("A.r");
  auto level = [](scan::Level::Kind kind, const std::string &variable, const term::Term &value) {
    scan::Level made;
    made.kind = kind, made.variable = variable, made.value = value;
    return made;
  };
  Lets lets;
  lets.add(level(scan::Level::Kind::Loop, "i", term::Term(0)));
  lets.add(level(scan::Level::Kind::Let, "A.r", i + term::Term(1)));
  EXPECT_EQ(term::to_text(lets.put_in(term::apply("A.rowptr", {r}))), "A.rowptr(i + 1)");
  lets.add(level(scan::Level::Kind::Let, "j", term::apply("A.col", {r}) + r));
  EXPECT_EQ(term::to_text(lets.put_in(term::variable("j"))), "i + A.col(i + 1) + 1");
  EXPECT_EQ(lets.put_in(i), i);
}

} // namespace
} // namespace unravel::choose
