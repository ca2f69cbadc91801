// The dense map: where it is proved among the cases of docs/find-synthesis, which have hardly a range, and
// with a range for every key; that it finds the same; that its obligations are needed.
#include "find/templates.h"
#include "golden.h"
#include "levels.h"
#include "per_find.h"
#include "report/diagnostic.h"
#include "right.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace unravel::find::test {
namespace {

/// The case with `0 <= f < limit` for every index array.
Case with_ranges(Case each) {
  std::set<std::string> done;
  for (const scan::Level &level : each.nest.levels)
    for (const scan::Component &component : level.components)
      for (const Term &read : applications_of(component.key)) {
        const auto *call = read.as<Apply>();
        if (!mentions(read, level.variable) || !done.insert(call->function).second) continue;
        std::vector<std::string> variables;
        std::vector<Term> arguments;
        for (std::size_t k = 0; k < call->arguments.size(); ++k) {
          variables.push_back(fmt::format("p{}", k));
          arguments.push_back(v(variables.back()));
        }
        each.axioms.push_back({"range of " + call->function, variables, truth(),
                               between(0, term::apply(call->function, arguments), v("limit"))});
      }
  return each;
}

/// Where the map is filled and whether the target is tested; or why there is no map.
std::string verdict(Obligations &obligations, LevelPlan &own) {
  if (try_direct(obligations, own).proved) return "direct";
  Outcome outcome = try_map(obligations, own);
  if (!outcome.proved) return outcome.reason;
  const auto &map = *own.as<plan::DenseMap>();
  return fmt::format("at {}{}{}", map.level, map.check_target ? " tested" : "",
                     outcome.worthwhile ? "" : ", not worth it");
}

std::string table(const std::function<Case(const Case &)> &change) {
  std::string text;
  for (const Case &each : all_cases())
    text += fmt::format("{}: {}\n", each.name, fmt::join(per_find(change(each), verdict), " | "));
  return text;
}

TEST(FindMap, is_proved_where_keys_are_unique_and_in_a_range) {
  unravel::test::golden_check("find", "maps", table([](const Case &each) { return each; }));
  unravel::test::golden_check("find", "maps_with_ranges", table(with_ranges));
}

/// One pass is a walk's where the order of the keys is known; else a map is better than trying every
/// position.
TEST(FindMap, one_pass) {
  auto method_of = [](const char *name) {
    const Case each = with_ranges(case_named(name));
    prove::Prover prover(each.axioms);
    return plan_finds(each.nest, prover).levels.back().method();
  };
  EXPECT_EQ(method_of("1"), Method::Sequential);
  EXPECT_EQ(method_of("3"), Method::Binary);
  EXPECT_EQ(method_of("4"), Method::Map);
  EXPECT_EQ(method_of("4b"), Method::Hash);
  EXPECT_EQ(method_of("11"), Method::Map);
  EXPECT_EQ(method_of("6"), Method::Map);
}

TEST(FindMap, finds_the_same) {
  int plans = 0, worlds = 0;
  for (const Case &one : all_cases()) {
    if (!one.generate) continue;
    const Case each = with_ranges(one);
    prove::Prover prover(each.axioms);
    for (const LevelPlan &level : plan_finds(each.nest, prover).levels) {
      const std::string &variable = each.nest.levels[level.level].variable;
      FindPlan plan;
      try {
        plan = plan_finds(each.nest, prover, {{variable, Method::Map}});
      } catch (const report::Error &) {
        continue;
      }
      ++plans;
      Random random(11);
      for (int k = 0; k < 100; ++k) {
        World world;
        each.generate(random, world);
        // Every other time the range is a tight one.
        std::int64_t least = 0, largest = 0;
        for (const auto &[name, elements] : world.arrays)
          for (std::int64_t element : elements) {
            least = std::min(least, element);
            largest = std::max(largest, element);
          }
        if (least < 0) continue;
        world.variables["limit"] = k % 2 ? largest + 1 : 50;
        ++worlds;
        EXPECT_TRUE(is_right(each.nest, world, plan.levels)) << "case " << each.name << ", " << variable;
      }
    }
  }
  EXPECT_GT(plans, 30);
  EXPECT_GT(worlds, 2500);
}

// ---- traps: the obligation refuses, and the map without it goes wrong

std::string refusal(const Case &each) {
  prove::Prover prover(each.axioms);
  try {
    plan_finds(each.nest, prover, {{"B.p", Method::Map}});
  } catch (const report::Error &error) {
    return error.diagnostic().message;
  }
  return "";
}

/// Visits of all i, twice, in a vector with such indices.
Case twice(Order order, std::vector<std::int64_t> idx, const Term &lowest = 0, const Term &end = v("N")) {
  Properties properties;
  properties.vector("B", order)
      .add("range of B.idx", {"p"}, truth(), between(lowest, at("B.idx", v("p")), end));
  return {"twice",
          "",
          properties,
          {loop("k", 0, 2) + loop("i", 0, v("N")) + vector_find("B", v("i"))},
          [idx = std::move(idx)](Random &, World &world) {
            world.variables = {{"N", 4}, {"B.len", static_cast<std::int64_t>(idx.size())}};
            world.arrays["B.idx"] = idx;
          }};
}

/// The plan that the map would have with the properties of `proved`, on the arrays of `each`.
bool goes_wrong(const Case &proved, const Case &each) {
  prove::Prover prover(proved.axioms);
  FindPlan plan = plan_finds(proved.nest, prover, {{"B.p", Method::Map}});
  EXPECT_EQ(plan.levels.at(0).method(), Method::Map);
  EXPECT_TRUE(is_right(proved, plan.levels, 1));
  return !is_right(each, plan.levels, 1);
}

TEST(FindMap, trap_a_key_that_occurs_twice) {
  const Case proved = twice(Order::Different, {3, 0, 2}), weak = twice(Order::Weak, {0, 2, 2});
  EXPECT_EQ(refusal(proved), "");
  EXPECT_EQ(refusal(weak),
            "`B.p` can't be found by map: O-uniq not proved; no small counterexample was found");
  EXPECT_TRUE(goes_wrong(proved, weak));
}

TEST(FindMap, trap_keys_outside_of_the_range) {
  const Case proved = twice(Order::Strict, {0, 2, 3});
  const Case padded = twice(Order::Strict, {-1, 2, 3}, Term(-1));
  const Case one_more = twice(Order::Strict, {0, 2, 4}, 0, v("N") + Term(1));
  EXPECT_NE(refusal(padded), "");
  EXPECT_TRUE(goes_wrong(proved, padded));
  // The range that is stated is the one that is used.
  EXPECT_EQ(refusal(one_more), "");
  EXPECT_TRUE(goes_wrong(proved, one_more));
  EXPECT_FALSE(goes_wrong(one_more, proved));
}

/// Visits of i in [0, m) in a vector whose keys are known to be in the range where `known` holds.
Case visits_below(const Term &known) {
  Properties properties;
  properties.vector("B", Order::Strict)
      .add("range of B.idx", {"p"}, known, between(0, at("B.idx", v("p")), v("N")));
  return {"visits below m",
          "",
          properties,
          {loop("k", 0, 2) + loop("i", 0, v("m")) + vector_find("B", v("i"))},
          [](Random &, World &world) {
            world.variables = {{"m", 0}, {"N", 4}, {"B.len", 1}};
            world.arrays["B.idx"] = {9};
          }};
}

/// A map is filled behind the guard that keeps what the keys read inside of their array.
TEST(FindMap, trap_a_guard_in_front_of_the_find) {
  const auto level_of = [](const Variables &variables, const Term &known) {
    Case each = visits_below(truth());
    each.axioms.push_back({"room for B.idx", variables, known, at_most(v("B.len"), v("room"))});
    each.nest.levels[1].guards = {equal(at("flag", v("i")), 1)};
    each.nest.arrays["B.idx"] = {v("room")};
    each.nest.safe_loads = {at("B.idx", v("B.p"))};
    prove::Prover prover(each.axioms);
    return plan_finds(each.nest, prover, {{"B.p", Method::Hash}}).levels.at(0).filled_map()->level;
  };
  EXPECT_EQ(level_of({}, truth()), 0u);
  EXPECT_EQ(level_of({"i"}, equal(at("flag", v("i")), 1)), 2u);
}

/// A map is filled outside of the loops, where the condition that they imply may not hold.
TEST(FindMap, trap_a_range_that_holds_at_the_visits_alone) {
  const Case proved = visits_below(truth()), at_visits = visits_below(at_most(1, v("m")));
  EXPECT_EQ(refusal(proved), "");
  EXPECT_EQ(refusal(at_visits).find("`B.p` can't be found by map: O-range not proved"), 0u)
      << refusal(at_visits);
  prove::Prover prover(proved.axioms);
  const FindPlan plan = plan_finds(proved.nest, prover, {{"B.p", Method::Map}});
  EXPECT_FALSE(is_right(at_visits, plan.levels, 1));
}

} // namespace
} // namespace unravel::find::test
