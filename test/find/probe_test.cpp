// Probes of hash tables that properties describe: proved, executed on random tables, and refused with an
// example where a property is missing.
#include "find/templates.h"
#include "levels.h"
#include "report/diagnostic.h"
#include "right.h"

#include <gtest/gtest.h>

namespace unravel::find::test {
namespace {

constexpr std::int64_t buckets = 4;
using Hash = std::function<Term(const Term &)>;

Term remainder(const Term &key) {
  return modulo(key, buckets);
}

/// What of a hash table is stated.
struct Stated {
  bool starts = true;  // no key lies before its hash
  bool no_gaps = true; // no key lies behind an empty slot that follows its hash
  bool unique = true;
};

/// Two vectors: one is iterated over, the other is a table.
Case table(const Hash &hash, const Stated &stated = {}) {
  Properties all;
  Term p = v("p"), q = v("q");
  auto key = [](const Term &position) { return at("H.key", position); };
  all.vector("A", Order::Any).array("H.key", v("H.W"));
  all.add("range of A", {"p"}, truth(), between(0, at("A.idx", p), v("N")));
  if (stated.starts) all.add("starts", {"p"}, at_most(0, key(p)), at_most(hash(key(p)), p));
  if (stated.no_gaps)
    all.add("no gaps", {"p", "q"}, conjunction({at_most(hash(key(q)), p), less(p, q), at_most(0, key(q))}),
            at_most(0, key(p)));
  if (stated.unique)
    all.add("unique", {"p", "q"}, conjunction({less(p, q), at_most(0, key(p))}),
            negation(equal(key(p), key(q))));
  return {"table",
          "a vector and a hash table",
          all,
          {vector_loop("A", "i") + search("H.p", 0, v("H.W"), {{key(v("H.p")), v("i"), 1}})},
          [hash, stated](Random &random, World &world) {
            const int range = 9;
            make_vector(random, world, "A", Order::Any, range);
            world.variables["N"] = range;
            std::vector<std::int64_t> keys =
                values(random, pick(random, 0, 6), range, stated.unique ? Order::Different : Order::Any);
            std::vector<std::int64_t> slots(static_cast<std::size_t>(pick(random, 16, 18)), -1);
            for (std::int64_t each : keys) {
              auto slot = static_cast<std::size_t>(evaluate(hash(each), world));
              while (slots[slot] >= 0)
                ++slot;
              slots[slot] = each;
            }
            world.variables["H.W"] = static_cast<std::int64_t>(slots.size());
            world.arrays["H.key"] = slots;
          }};
}

LevelPlan plan_of(const Case &each, const Requests &requests = {}) {
  prove::Prover prover(each.axioms);
  return plan_finds(each.nest, prover, requests).levels.at(0);
}

std::string refusal(Case each) {
  each.nest.arrays = {{"A.idx", {v("A.len")}}, {"H.key", {v("H.W")}}};
  try {
    return name_of(plan_of(each, {{"H.p", Method::Probe}}).method());
  } catch (const report::Error &error) {
    return error.diagnostic().message;
  }
}

TEST(FindProbe, starts_at_the_hash_and_ends_at_an_empty_slot) {
  Case each = table(remainder);
  LevelPlan plan = plan_of(each);
  EXPECT_EQ(plan.method(), Method::Probe);
  EXPECT_TRUE(plan.unique);
  EXPECT_EQ(to_text(plan.as<plan::Probe>()->start), "i mod 4");
  EXPECT_EQ(to_text(plan.as<plan::Probe>()->skip), "0 <= H.key(H.p)");
  EXPECT_TRUE(is_right(each, {plan}, 400));
}

/// Any function that a property bounds positions with.
TEST(FindProbe, other_hashes) {
  auto quotient = [](const Term &key) { return floor_divide(key, 3); };
  auto shifted = [](const Term &key) { return modulo(key + Term(1), buckets) + Term(2); };
  auto itself = [](const Term &key) { return key; };
  for (const auto &[hash, start] : std::vector<std::pair<Hash, std::string>>{
           {quotient, "floor(i / 3)"}, {shifted, "((i + 1) mod 4) + 2"}, {itself, "i"}}) {
    Case each = table(hash);
    LevelPlan plan = plan_of(each);
    EXPECT_EQ(plan.method(), Method::Probe) << start;
    EXPECT_EQ(to_text(plan.as<plan::Probe>()->start), start);
    EXPECT_TRUE(is_right(each, {plan}, 200)) << start;
  }
}

TEST(FindProbe, of_keys_that_repeat_all_are_found) {
  Case each = table(remainder, {true, true, false});
  LevelPlan plan = plan_of(each);
  EXPECT_EQ(plan.method(), Method::Probe);
  EXPECT_FALSE(plan.unique);
  EXPECT_TRUE(is_right(each, {plan}, 400));
  plan.unique = true;
  EXPECT_FALSE(is_right(each, {plan}, 400));
}

/// Without one of its properties the probe isn't taken; a request is refused with arrays that show why.
TEST(FindProbe, is_refused_without_its_properties) {
  EXPECT_NE(plan_of(table(remainder, {false, true, true})).method(), Method::Probe);
  EXPECT_EQ(refusal(table(remainder, {false, true, true})),
            "`H.p` can't be found by probe: no property says h(key(p)) <= p of an array of keys");
  EXPECT_NE(plan_of(table(remainder, {true, false, true})).method(), Method::Probe);
  EXPECT_EQ(
      refusal(table(remainder, {true, false, true})),
      "`H.p` can't be found by probe: O-empty not proved; a counterexample to O-empty(0 <= H.key(H.p)): "
      "H.key = [-1, 0], looking for 0: it is at position 1, after the empty position 0");
}

/// It does what it should not where the table breaks the rules.
TEST(FindProbe, the_properties_are_needed) {
  Case each = table(remainder);
  LevelPlan plan = plan_of(each);
  World world;
  world.variables = {{"A.len", 1}, {"N", 9}, {"H.W", 4}};
  world.arrays["A.idx"] = {4};
  world.arrays["H.key"] = {-1, 4, -1, -1};
  EXPECT_FALSE(is_right(each.nest, world, {plan}));
  world.arrays["H.key"] = {8, 4, -1, -1};
  EXPECT_TRUE(is_right(each.nest, world, {plan}));
}

/// A property of positions that has nothing to do with keys names no start.
TEST(FindProbe, is_not_listed_elsewhere) {
  for (const Candidate &candidate : plan_of(case_named("1")).candidates)
    EXPECT_NE(candidate.method, Method::Probe);
}

} // namespace
} // namespace unravel::find::test
