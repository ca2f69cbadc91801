// Small worlds: found, checked, as small as can be, the same every time.
#include "prove/world.h"

#include <gtest/gtest.h>

namespace unravel::prove {
namespace {

using term::apply;
using term::at_most;
using term::between;
using term::conjunction;
using term::equal;
using term::less;
using term::negation;
using term::Term;
using term::variable;

const Term n = variable("n"), p = variable("p"), q = variable("q");

Term f(const Term &at) {
  return apply("f", {at});
}

const Extents extents = {{"f", {n}}};

/// forall p, q in [0, n) : guard => conclusion
Axiom pairs(const Term &guard, const Term &conclusion) {
  return {"", {"p", "q"}, conjunction({between(0, p, n), between(0, q, n), guard}), conclusion};
}

World world(std::vector<std::int64_t> values) {
  World made;
  made.variables["n"] = static_cast<std::int64_t>(values.size());
  made.arrays["f"] = {{static_cast<std::int64_t>(values.size())}, std::move(values)};
  return made;
}

TEST(World, SatisfiesOverTheWholeRange) {
  Axiom rising = pairs(less(p, q), less(f(p), f(q)));
  EXPECT_TRUE(satisfies(world({}), rising));
  EXPECT_TRUE(satisfies(world({0, 3, 4}), rising));
  EXPECT_FALSE(satisfies(world({0, 3, 3}), rising)); // the last pair
  EXPECT_FALSE(satisfies(world({4, 3, 5}), rising)); // the first
  // What is bound has nothing to do with a number of the same name.
  World other = world({0, 3, 3});
  other.variables["p"] = 7;
  EXPECT_FALSE(satisfies(other, rising));
  // Beyond the array an axiom without its domain guards can't be evaluated.
  EXPECT_THROW(satisfies(world({1}), {"", {"p"}, at_most(0, p), at_most(0, f(p))}), Outside);
}

TEST(World, ReadsNothingOutside) {
  World two;
  two.arrays["g"] = {{2, 3}, {0, 1, 2, 3, 4, 5}};
  EXPECT_EQ(two.apply("g", {1, 2}), 5);
  EXPECT_THROW(two.apply("g", {0, 3}), Outside);
  EXPECT_THROW(two.apply("g", {2, 0}), Outside);
  EXPECT_THROW(two.apply("g", {-1, 0}), Outside);
  EXPECT_THROW(two.apply("g", {1}), Outside);
  EXPECT_THROW(two.apply("h", {1}), Outside);
  EXPECT_THROW(two.variable("x"), Outside);
}

TEST(World, AsSmallAsCanBe) {
  Term i = variable("i"), j = variable("j");
  // Two places hold the same, in a weakly rising array.
  std::optional<World> found =
      small_world({pairs(less(p, q), at_most(f(p), f(q)))},
                  {between(0, i, n), between(0, j, n), less(i, j), equal(f(i), f(j))}, extents, {"f"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->variable("n"), 2);
  EXPECT_EQ(found->arrays.at("f").values, (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(found->variable("i"), 0);
  EXPECT_EQ(found->variable("j"), 1);
}

TEST(World, NegativeNumbersWhereNeeded) {
  std::optional<World> found = small_world({}, {between(0, p, n), less(f(p), -1)}, extents, {"f"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->arrays.at("f").values, (std::vector<std::int64_t>{-2}));
}

/// The prover's own model needs only the instances on the terms of the question; a world needs all.
TEST(World, NoneWhereOnlySomeInstancesAllowIt) {
  std::vector<Axiom> neighbours = {
      {"", {"p"}, conjunction({between(0, p, n), between(0, p + Term(1), n)}), less(f(p), f(p + Term(1)))}};
  std::vector<Term> falling = {between(0, p, n), between(0, q, n), less(p, q), at_most(f(q), f(p))};
  Prover prover(neighbours);
  EXPECT_EQ(prover.refute("spurious", "", falling), Answer::Possible);
  EXPECT_FALSE(small_world(neighbours, falling, extents, {"f"}));
}

TEST(World, NoneWithoutExtentsOrBeyondTheLimits) {
  EXPECT_FALSE(small_world({}, {equal(f(0), 1)}, {}, {"f"}));
  EXPECT_FALSE(small_world({}, {at_most(5, n), equal(f(0), 1)}, extents, {"f"}));
  EXPECT_FALSE(small_world({}, {equal(f(0), 1000)}, extents, {"f"}));
  EXPECT_FALSE(small_world({}, {equal(n, 1), equal(f(1), 1)}, extents, {"f"})); // outside of f
}

} // namespace
} // namespace unravel::prove
