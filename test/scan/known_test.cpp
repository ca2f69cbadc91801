// What follows from comparisons as they were said, with isl and without.
#include "scan/known.h"
#include "term/read.h"

#include <gtest/gtest.h>

namespace unravel::scan {
namespace {

term::Term read(const std::string &text) {
  return term::read_term(text);
}

TEST(Stated, one_comparison_or_two) {
  Stated stated;
  stated.add(read("r >= 0 and M - r - 1 >= 0"));
  stated.add(read("p - rowptr(r) >= 0"));
  stated.add(read("rowptr(r) >= 0"));
  stated.add(read("i - r = 0"));
  for (const char *follows : {"r >= 0", "r + 1 >= 0", "M - r >= 0", "p >= 0", "i >= 0", "M - i - 1 >= 0",
                              "i - r = 0", "r >= 0 and p + 2 >= 0"})
    EXPECT_TRUE(stated.implies(read(follows))) << follows;
  for (const char *open :
       {"r - 1 >= 0", "M - r - 2 >= 0", "q >= 0", "p - r >= 0", "i = 0", "r - M >= 0", "r >= 0 and q >= 0"})
    EXPECT_FALSE(stated.implies(read(open))) << open;
  EXPECT_TRUE(stated.implies(term::truth()));
}

TEST(Known, falls_back_on_isl) {
  Known known;
  known.add(read("a >= 0 and b - a >= 0 and c - b >= 0 and d - c >= 0"));
  EXPECT_TRUE(known.implies(read("d >= 0"))); // four comparisons
  EXPECT_FALSE(known.implies(read("d - 1 >= 0")));
  EXPECT_EQ(term::to_text(known.gist_of(space::Set(read("b - a >= 0"))).formula()),
            term::to_text(term::truth()));
  EXPECT_TRUE(known.gist_of(space::Set(read("d >= 0 and e >= 0"))).is_equal(space::Set(read("e >= 0"))));
  known.add(read("e >= 0"));
  EXPECT_TRUE(known.set().is_subset(space::Set(read("e >= 0"))));
}

} // namespace
} // namespace unravel::scan
