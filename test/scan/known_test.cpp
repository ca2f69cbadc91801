// What follows from comparisons as they were said, with isl and without.
#include "scan/known.h"
#include "term/read.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

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

TEST(Points, formulas_at_a_point) {
  Points points;
  points.add({{read("p"), 7}, {read("col(p)"), -3}});
  for (const char *holds :
       {"p - 7 = 0", "floor(p / 2) - 3 = 0", "floor(col(p) / 2) + 2 = 0", "col(p) mod 2 - 1 = 0", "q = 0",
        "p >= 0 and q >= 0", "p < 0 or col(p) < 0", "min(p, col(p)) + 3 = 0",
        "9223372036854775807 * p >= 0 or p = 7", "9223372036854775807 * p >= 0"})
    EXPECT_FALSE(points.refute(read(holds))) << holds; // the last one's value doesn't fit
  for (const char *fails :
       {"p - 8 >= 0", "q - 1 >= 0", "p >= 0 and q - 1 = 0", "not p = 7", "col(p) >= 0 or q = 1"})
    EXPECT_TRUE(points.refute(read(fails))) << fails;
  points.keep_where(read("q >= 0"));
  EXPECT_TRUE(points.refute(read("p - 8 >= 0")));
  points.keep_where(read("q - 1 >= 0")); // q is 0 there
  EXPECT_FALSE(points.refute(read("p - 8 >= 0")));
}

/// What grows step by step answers as isl does of all at once.
TEST(Known, agrees_with_isl) {
  std::mt19937 random(7);
  auto number = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  const std::vector<std::string> atoms{"a", "b", "f(a)", "f(b)", "N"};
  auto comparison = [&] {
    std::string text = std::to_string(number(-3, 3));
    for (int k = 0; k < 3; ++k)
      text += fmt::format(" + {} * {}", number(-2, 2), atoms[static_cast<std::size_t>(number(0, 4))]);
    if (number(0, 4) == 0) text = fmt::format("floor(({}) / {})", text, number(2, 3));
    return text + (number(0, 3) == 0 ? " = 0" : " >= 0");
  };
  int followed = 0;
  for (int round = 0; round < 60; ++round) {
    Known known;
    space::Set all;
    for (int step = 0; step < 6; ++step) {
      const term::Term more = read(comparison());
      known.add(more);
      all = all.intersect(space::Set(more));
      for (int question = 0; question < 8; ++question) {
        const term::Term asked = read(comparison());
        const bool follows = all.is_subset(space::Set(asked));
        followed += follows;
        ASSERT_EQ(known.implies(asked), follows) << term::to_text(asked) << " in " << space::to_text(all);
      }
    }
  }
  EXPECT_GT(followed, 300);
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
