// Which walks are proved to go in step with the loop that leads to them.
#include "find/walk.h"

#include "cases.h"
#include "report/diagnostic.h"

#include <functional>
#include <gtest/gtest.h>

namespace unravel::find::test {
namespace {

/// Per sequential find of a case: "B.p with A.p", "B.p with A.p not proved", or nothing where it hasn't the
/// form.
std::string verdict_of(const Case &each) {
  prove::Prover prover(each.axioms);
  Requests requests;
  for (const scan::Level &level : each.nest.levels)
    if (level.kind == scan::Level::Kind::Find) requests.emplace(level.variable, Method::Sequential);
  FindPlan plan;
  try {
    plan = plan_finds(each.nest, prover, requests);
  } catch (const report::Error &) {
    return "no walk";
  }
  std::string verdict;
  for (std::size_t k = 0; k < plan.levels.size(); ++k) {
    std::optional<InStep> form = in_step(each.nest, plan.levels[k]);
    if (!form) continue;
    std::vector<LevelPlan> before(plan.levels.begin(), plan.levels.begin() + static_cast<std::ptrdiff_t>(k));
    bool proved = plan_in_step(each.nest, *form, before, prover, plan.levels[k]);
    EXPECT_EQ(proved, plan.levels[k].walk()->in_step.has_value());
    verdict += (verdict.empty() ? "" : ", ") + each.nest.levels[plan.levels[k].level].variable + " with " +
               each.nest.levels[form->loop].variable + (proved ? "" : " not proved");
  }
  return verdict;
}

TEST(InStep, is_proved_where_both_sides_strictly_increase) {
  const std::map<std::string, std::string> expected = {
      {"1", "B.p with A.p"},
      {"1b",
       "B.p with A.p not proved"}, // A rises weakly: the first of two equal keys would be passed with its hit
      {"2b", "B.p with A.p not proved"}, // both fall
      {"6", "b.p with A.p"},
      {"6b", "A.p with b.p"},
      {"9b", "B.p with A.p"},
      {"9c", "B.r with A.r, B.p with A.p"},
      {"12", "B.p with A.p"},
      {"13", "B.q0 with A.q0, B.q1 with A.q1, B.q2 with A.q2"},
      {"17b", "B.p with A.p"},
      {"21", "B.p with A.p"},
      {"u1", "B.p with A.p"},
      {"u3", "B.p with A.p"},
      {"u4", "B.p with A.p"},
      {"u9", "B.p with A.p"},
      {"u13", "B.p with A.p"},
      {"u16", "B.p with A.p"},
      {"u17", "B.p with A.p"},
  };
  std::map<std::string, std::string> found;
  for (const Case &each : all_cases())
    if (std::string verdict = verdict_of(each); !verdict.empty() && verdict != "no walk")
      found[each.name] = verdict;
  EXPECT_EQ(found, expected);
}

/// What is read off the terms: the nest of case 1 and of case 6, changed.
TEST(InStep, has_a_form) {
  auto form_of = [](const std::string &name, const std::function<void(scan::Nest &, LevelPlan &)> &change) {
    const Case &each = case_named(name);
    prove::Prover prover(each.axioms);
    scan::Nest nest = each.nest;
    const scan::Level &last = nest.levels.back();
    LevelPlan plan = plan_finds(nest, prover, {{last.variable, Method::Sequential}}).levels.back();
    change(nest, plan);
    return in_step(nest, plan).has_value();
  };
  auto walk_of = [](LevelPlan &plan) -> plan::Walk & { return *plan.as<plan::Walk>(); };
  auto nothing = [](scan::Nest &, LevelPlan &) {};
  for (const std::string name : {"1", "6"}) {
    EXPECT_TRUE(form_of(name, nothing));
    EXPECT_FALSE(form_of(name, [&](scan::Nest &, LevelPlan &plan) { walk_of(plan).gallops = true; }));
    EXPECT_FALSE(form_of(name, [](scan::Nest &, LevelPlan &plan) { plan.how = plan::Binary{}; }));
    EXPECT_FALSE(form_of(name, [](scan::Nest &, LevelPlan &plan) { plan.unique = false; }));
    EXPECT_FALSE(
        form_of(name, [&](scan::Nest &, LevelPlan &plan) { walk_of(plan).direction = Direction::Down; }));
    EXPECT_FALSE(
        form_of(name, [&](scan::Nest &, LevelPlan &plan) { walk_of(plan).state_index = {term::Term(0)}; }));
    // A state that begins in each iteration.
    EXPECT_FALSE(
        form_of(name, [&](scan::Nest &, LevelPlan &plan) { walk_of(plan).state_level = plan.level; }));
    // The segment differs from iteration to iteration.
    EXPECT_FALSE(form_of(name, [](scan::Nest &nest, LevelPlan &plan) {
      nest.levels.back().lower = term::variable(nest.levels[plan.level - 2].variable);
    }));
    // The loop is over a coordinate; not all of its iterations count; the key isn't an element.
    EXPECT_FALSE(
        form_of(name, [](scan::Nest &nest, LevelPlan &plan) { nest.levels[plan.level - 2].tensor = ""; }));
    EXPECT_FALSE(form_of(name, [](scan::Nest &nest, LevelPlan &plan) {
      nest.levels[plan.level - 1].guards = {term::less(term::Term(0), term::variable("n"))};
    }));
    EXPECT_FALSE(form_of(name, [](scan::Nest &nest, LevelPlan &) {
      scan::Component &component = nest.levels.back().components[0];
      component.key = component.key + term::Term(1);
    }));
  }
}

} // namespace
} // namespace unravel::find::test
