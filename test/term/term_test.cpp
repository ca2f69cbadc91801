#include "term/term.h"

#include "report/diagnostic.h"
#include "term/solve.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::term;

namespace {

Term x = variable("x");
Term y = variable("y");
Term f(const Term &argument) {
  return apply("f", {argument});
}

struct Point : Environment {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t variable(const std::string &name) const override { return name == "x" ? x : y; }
  std::int64_t apply(const std::string &, const std::vector<std::int64_t> &arguments) const override {
    return arguments[0] * arguments[0] - 3;
  }
};

template <class F> void each_point(F body) {
  for (std::int64_t a = -4; a <= 4; ++a)
    for (std::int64_t b = -4; b <= 4; ++b) {
      Point point;
      point.x = a;
      point.y = b;
      body(point, a, b);
    }
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  std::int64_t q = 0;
  for (q = -1000; (q + 1) * b <= a; ++q) {
  }
  return q;
}

} // namespace

TEST(Term, EqualAsFunctionsIsEqualAsTerms) {
  EXPECT_EQ(x + y - x, y);
  EXPECT_EQ(scale(2, x + y) - y - y, x + x);
  EXPECT_EQ(f(x + Term(1) - Term(1)), f(x));
  EXPECT_NE(f(x), f(y));
  EXPECT_EQ(less(x, y), at_most(x + Term(1), y));
  EXPECT_EQ(equal(x, y), equal(y, x));
  EXPECT_EQ(at_most(scale(2, x), Term(5)), at_most(x, Term(2))); // integers: tightened
  EXPECT_EQ(minimum({x, x + Term(1)}), x);
  EXPECT_EQ(maximum({x, x + Term(1), y, y - Term(2)}), maximum({x + Term(1), y}));
}

TEST(Term, ConstructorsKeepTheMeaningOnABox) {
  each_point([](const Point &point, std::int64_t a, std::int64_t b) {
    auto value = [&](const Term &term) { return evaluate(term, point); };
    EXPECT_EQ(value(x + y), a + b);
    EXPECT_EQ(value(x - scale(3, y) + Term(2)), a - 3 * b + 2);
    EXPECT_EQ(value(multiply(x, y)), a * b);
    EXPECT_EQ(value(f(x)), a * a - 3);
    for (std::int64_t d = 1; d <= 3; ++d) {
      EXPECT_EQ(value(floor_divide(scale(2, x) + y, d)), floor_quotient(2 * a + b, d));
      EXPECT_EQ(value(ceil_divide(x, d)), -floor_quotient(-a, d));
      EXPECT_EQ(value(modulo(x, d)), a - d * floor_quotient(a, d));
      EXPECT_EQ(value(modulo(scale(6, x) + Term(5), d)), 6 * a + 5 - d * floor_quotient(6 * a + 5, d));
    }
    EXPECT_EQ(value(minimum({x, y, Term(1)})), std::min({a, b, std::int64_t{1}}));
    EXPECT_EQ(value(maximum({x, y, x + Term(1)})), std::max({a + 1, b}));
    EXPECT_EQ(value(equal(scale(2, x), y)), 2 * a == b);
    EXPECT_EQ(value(at_most(scale(2, x), scale(2, y) + Term(1))), 2 * a <= 2 * b + 1);
    EXPECT_EQ(value(less(x, y)), a < b);
    EXPECT_EQ(value(negation(less(x, y))), a >= b);
    EXPECT_EQ(value(negation(equal(x, y))), a != b);
    EXPECT_EQ(value(implication(less(x, y), equal(x, Term()))), !(a < b) || a == 0);
    EXPECT_EQ(value(between(Term(-1), x, y)), -1 <= a && a < b);
    EXPECT_EQ(value(disjunction({less(x, Term()), less(y, Term())})), a < 0 || b < 0);
    EXPECT_EQ(value(substitute(f(x) + y, {{"x", y + Term(1)}})), (b + 1) * (b + 1) - 3 + b);
  });
}

TEST(Term, ConstantsAreFolded) {
  EXPECT_TRUE(is_true(at_most(x, x + Term(1))));
  EXPECT_TRUE(is_false(equal(scale(2, x), scale(2, y) + Term(1))));
  EXPECT_TRUE(is_false(conjunction({truth(), less(x, x), equal(x, y)})));
  EXPECT_TRUE(is_true(disjunction({falsity(), at_most(x, x)})));
  EXPECT_EQ(conjunction({less(x, y), truth(), less(x, y)}), less(x, y));
}

TEST(Term, OverflowIsAMistakeOfTheInput) {
  try {
    scale(4, Term(std::int64_t{1} << 61)) + scale(4, Term(std::int64_t{1} << 61));
    FAIL() << "no overflow reported";
  } catch (const report::Error &error) {
    EXPECT_EQ(error.diagnostic().kind, report::Kind::number_too_large);
    EXPECT_STREQ(error.what(), "error: a product of constants doesn't fit in 64 bits [number-too-large]\n");
  }
}

TEST(Term, TextIsThatOfLayoutFiles) {
  EXPECT_EQ(to_text(between(f(x), y, f(x + Term(1)))), "f(x) <= y and y < f(x + 1)");
  EXPECT_EQ(to_text(at_most(Term(0), x)), "0 <= x");
  EXPECT_EQ(to_text(less(x, Term(5))), "x <= 4");
  EXPECT_EQ(to_text(equal(x, scale(2, y) - Term(3))), "x + 3 = 2*y");
  EXPECT_EQ(to_text(negation(equal(x, y))), "x != y");
  EXPECT_EQ(to_text(equal(x, Term(-2))), "x = -2");
  EXPECT_EQ(to_text(scale(2, floor_divide(x, 3)) - y), "2*floor(x / 3) - y");
  EXPECT_EQ(to_text(conjunction({disjunction({less(x, y), less(y, x)}), equal(x, Term(0))})),
            "(x < y or y < x) and x = 0");
  EXPECT_EQ(to_text(multiply(x + Term(1), y)), "(x + 1)*y");
}

TEST(Term, WalkersFindWhatIsThere) {
  Term formula = equal(f(f(x) + y), apply("g", {y}));
  EXPECT_EQ(variables_of(formula), (std::set<std::string>{"x", "y"}));
  std::vector<Term> applications = applications_of(formula);
  ASSERT_EQ(applications.size(), 3U);
  EXPECT_LT(std::find(applications.begin(), applications.end(), f(x)) - applications.begin(),
            std::find(applications.begin(), applications.end(), f(f(x) + y)) - applications.begin());
  EXPECT_TRUE(mentions(formula, "x"));
  EXPECT_FALSE(mentions(formula, "z"));
  EXPECT_EQ(coefficient_of(scale(3, x) + f(y), "x"), 3);
  EXPECT_EQ(coefficient_of(f(x), "x"), 0);
  EXPECT_EQ(to_text(rename(formula, {{"x", "A.x"}}, {{"f", "A.f"}})), "A.f(y + A.f(A.x)) = g(y)");
}

TEST(Term, AnEquationIsSolvedForAVariableWithAUnitCoefficient) {
  auto value = [](const Term &formula) {
    std::optional<Term> found = solve_for("x", formula);
    return found ? to_text(*found) : "nothing";
  };
  EXPECT_EQ(value(equal(x, scale(4, y) + Term(1))), "4*y + 1");
  EXPECT_EQ(value(equal(scale(4, y) + Term(1), x)), "4*y + 1");
  EXPECT_EQ(value(equal(x + y, f(y))), "f(y) - y");
  EXPECT_EQ(value(equal(y - x, f(y))), "y - f(y)");
  EXPECT_EQ(value(equal(x, Term(7))), "7");
  EXPECT_EQ(value(equal(scale(2, x), scale(3, y))), "nothing"); // x is 3*y/2, if that is an integer
  EXPECT_EQ(value(equal(y, Term(7))), "nothing");
  EXPECT_EQ(value(at_most(x, y)), "nothing");
  EXPECT_EQ(value(conjunction({equal(x, y), equal(y, Term(7))})), "nothing");
  // The variable is also where the value would be.
  EXPECT_EQ(value(equal(x, f(x) + y)), "nothing");
  EXPECT_EQ(value(equal(x, floor_divide(x, 4) + y)), "nothing");
}
