#include "space/set.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::term;
using space::Set;

namespace {

Term v(const char *name) {
  return variable(name);
}

/// Values of variables; applications f(a) are 3 * a mod 5, so that they are consistent.
struct Box : Environment {
  std::map<std::string, std::int64_t> values;
  std::int64_t variable(const std::string &name) const override { return values.at(name); }
  std::int64_t apply(const std::string &, const std::vector<std::int64_t> &arguments) const override {
    return ((3 * arguments[0]) % 5 + 5) % 5;
  }
};

/// All points of a box of side 6 around 0 for x and y.
template <class F> void each_point(F body) {
  Box box;
  for (std::int64_t x = -3; x < 3; ++x)
    for (std::int64_t y = -3; y < 3; ++y) {
      box.values = {{"x", x}, {"y", y}};
      body(box);
    }
}

std::vector<Term> formulas() {
  Term x = v("x");
  Term y = v("y");
  return {at_most(x, y),
          equal(x, y + Term(1)),
          conjunction({less(x, y), at_most(Term(-2), x)}),
          disjunction({equal(x, Term(2)), less(y, Term(0))}),
          equal(modulo(x, 2), Term(1)),
          at_most(floor_divide(x + y, 3), Term(0)),
          negation(equal(x, y)),
          at_most(minimum({x, y}), Term(-1)),
          less(apply("f", {x}), y),
          equal(apply("f", {x}), apply("f", {y}))};
}

Set point_set(const Box &box) {
  Term fixed = conjunction({equal(v("x"), Term(box.values.at("x"))), equal(v("y"), Term(box.values.at("y"))),
                            equal(apply("f", {v("x")}), Term(box.apply("f", {box.values.at("x")}))),
                            equal(apply("f", {v("y")}), Term(box.apply("f", {box.values.at("y")})))});
  return Set(fixed);
}

bool contains(const Set &set, const Box &box) {
  return !set.intersect(point_set(box)).is_empty();
}

} // namespace

TEST(Set, AgreesWithTheFormulaOnEveryPointOfABox) {
  for (const Term &formula : formulas()) {
    Set set(formula);
    Set again(set.formula());
    EXPECT_TRUE(again.is_equal(set)) << to_text(formula) << " read back as " << to_text(set.formula());
    each_point([&](const Box &box) {
      EXPECT_EQ(contains(set, box), evaluate(formula, box) != 0) << to_text(formula);
    });
  }
}

TEST(Set, OperationsAreThoseOfLogic) {
  for (const Term &a : formulas())
    for (const Term &b : formulas()) {
      Set both = Set(a).intersect(Set(b));
      Set either = Set(a).unite(Set(b));
      Set only = Set(a).subtract(Set(b));
      Set gist = Set(a).gist(Set(b));
      each_point([&](const Box &box) {
        bool in_a = evaluate(a, box) != 0;
        bool in_b = evaluate(b, box) != 0;
        EXPECT_EQ(contains(both, box), in_a && in_b);
        EXPECT_EQ(contains(either, box), in_a || in_b);
        EXPECT_EQ(contains(only, box), in_a && !in_b);
        if (in_b) {
          EXPECT_EQ(contains(gist, box), in_a);
        }
      });
    }
}

TEST(Set, ProjectionIsTheShadow) {
  Term x = v("x");
  Term y = v("y");
  Set set(conjunction({equal(x, scale(2, y)), between(Term(-1), y, Term(2))}));
  Set shadow = set.project([&](const Term &atom) { return atom == y; });
  for (std::int64_t value = -4; value < 5; ++value)
    EXPECT_EQ(!shadow.intersect(Set(equal(x, Term(value)))).is_empty(),
              value == -2 || value == 0 || value == 2)
        << value;
  EXPECT_EQ(shadow.atoms(), (std::set<Term>{x}));
}

TEST(Set, ConstraintsOfOneSegment) {
  Term p = v("p");
  Term r = v("r");
  Set set(between(apply("rowptr", {r}), p, apply("rowptr", {r + Term(1)})));
  std::vector<Term> constraints = set.constraints();
  ASSERT_EQ(constraints.size(), 2U);
  EXPECT_EQ(space::to_text(set), "{ rowptr(r) <= p and p < rowptr(r + 1) }");
}

TEST(Set, DroppedConstraintsAreNotProjected) {
  Term x = v("x");
  Term y = v("y");
  Set set(conjunction({less(x, y), less(y, Term(3)), at_most(Term(0), x)}));
  Set kept = set.without_constraints_on([&](const Term &atom) { return atom == y; });
  EXPECT_EQ(space::to_text(kept), "{ 0 <= x }");
}

TEST(Set, SampleIsInTheSet) {
  EXPECT_FALSE(Set(conjunction({less(v("x"), Term(0)), less(Term(0), v("x"))})).sample().has_value());
  auto sample = Set(equal(v("x"), Term(7))).sample();
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(sample->at(0).second, 7);
  // 2^64 doesn't fit: there is a point, but not as numbers
  const term::Term large = term::scale(std::int64_t{1} << 62, v("x"));
  sample = Set(conjunction({equal(v("y"), large), equal(v("x"), Term(4))})).sample();
  ASSERT_TRUE(sample.has_value());
  EXPECT_TRUE(sample->empty());
}

TEST(SubstituteArguments, MakesEqualArgumentsEqualTexts) {
  Term formula = conjunction({equal(v("A.r"), v("i")), at_most(apply("rowptr", {v("A.r")}), v("p"))});
  EXPECT_EQ(to_text(space::substitute_arguments(formula, {{"A.r", v("i")}})), "A.r = i and rowptr(i) <= p");
}
