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
    EXPECT_EQ(stated.implies(read(follows)), true) << follows;
  for (const char *open :
       {"r - 1 >= 0", "M - r - 2 >= 0", "q >= 0", "p - r >= 0", "i = 0", "r - M >= 0", "r >= 0 and q >= 0"})
    EXPECT_EQ(stated.implies(read(open)), false) << open;
  EXPECT_EQ(stated.implies(term::truth()), true);
}

TEST(Stated, differences_by_paths) {
  Stated stated;
  stated.add(read("a >= 0 and b - a >= 0 and c - b - 1 >= 0 and f(c) - c >= 0"));
  EXPECT_EQ(stated.implies(read("f(c) - 1 >= 0")), true);
  EXPECT_EQ(stated.implies(read("f(c) - 2 >= 0")), false);
  EXPECT_EQ(stated.implies(read("a - b = 0")), false);
  stated.add(read("a - b >= 0"));
  EXPECT_EQ(stated.implies(read("a - b = 0")), true);
  EXPECT_EQ(stated.implies(read("a + b - c >= 0")), std::nullopt); // not a difference
  EXPECT_EQ(stated.implies(read("a - c >= 0 or b - c + 1 >= 0")), std::nullopt);
  // From here on, more holds than the differences say.
  stated.add(read("a + b - 2 * d >= 0"));
  EXPECT_EQ(stated.implies(read("f(c) - 1 >= 0")), true);
  EXPECT_EQ(stated.implies(read("f(c) - 2 >= 0")), std::nullopt);
}

TEST(Stated, what_is_left_of_comparisons) {
  Stated stated;
  stated.add(read("a >= 0 and b - a >= 0"));
  auto left = [&](const std::vector<term::Term> &comparisons) { return stated.reduced(comparisons); };
  EXPECT_EQ(left({read("b >= 0"), read("c - b >= 0"), read("a - d = 0")}),
            (std::vector{read("c - b >= 0"), read("a - d = 0")}));
  EXPECT_EQ(left({read("b >= 0")}), std::vector<term::Term>());
  EXPECT_EQ(left({read("c >= 0"), read("c - b >= 0")}), std::vector{read("c - b >= 0")});
  // Either of the last two follows with the others.
  EXPECT_EQ(left({read("d - c = 0"), read("d - e >= 0"), read("c - e >= 0")}), std::nullopt);
  // They contradict what is known.
  EXPECT_EQ(left({read("c - b >= 0"), read("a - c - 1 >= 0")}), std::nullopt);
}

TEST(Known, falls_back_on_isl) {
  Known known;
  known.add(read("a >= 0 and b - a >= 0 and c - b >= 0 and d - c >= 0"));
  EXPECT_TRUE(known.implies(read("d >= 0"))); // four comparisons
  EXPECT_FALSE(known.implies(read("d - 1 >= 0")));
  EXPECT_EQ(known.left_of(space::Set(read("b - a >= 0"))), term::truth());
  EXPECT_EQ(known.left_of(space::Set(read("d >= 0 and e >= 0"))), read("e >= 0"));
  known.add(read("e >= 0"));
  EXPECT_TRUE(known.set().is_subset(space::Set(read("e >= 0"))));
}

} // namespace
} // namespace unravel::scan
