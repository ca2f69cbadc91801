// States beyond a scalar that starts at the segment's bound: arrays, and clamps from a size downwards.
#include "find/templates.h"
#include "right.h"

#include <gtest/gtest.h>

namespace unravel::find::test {
namespace {

std::string text_of(const std::vector<term::Term> &terms) {
  std::string text;
  for (const term::Term &term : terms)
    text += (text.empty() ? "" : ", ") + term::to_text(term);
  return text;
}

struct Walked {
  FindPlan plan;
  Outcome outcome;
};

/// The automatic plan with its innermost find replaced by what a template proves, available or not.
Walked walk(const Case &each, Method method) {
  prove::Prover prover(each.axioms);
  Walked result{plan_finds(each.nest, prover), {}};
  LevelPlan own;
  own.level = result.plan.levels.back().level;
  result.plan.levels.pop_back();
  Obligations obligations(each.nest, own.level, result.plan.levels, prover, own);
  result.outcome =
      method == Method::Galloping ? try_galloping(obligations, own) : try_sequential(obligations, own);
  result.plan.levels.push_back(own);
  return result;
}

struct ArrayRow {
  const char *name, *state, *index, *extent;
  std::size_t level;
};

TEST(FindStates, arrays) {
  for (const ArrayRow &row : {ArrayRow{"10b", "{B.b, B.ii}", "B.ii", "2", 1},
                              {"10c", "{i}", "i", "A.M", 0},
                              {"12b", "{i, j}", "j", "B.N", 1},
                              {"14b", "{i}", "i", "A.N", 0}})
    for (Method method : {Method::Sequential, Method::Galloping}) {
      SCOPED_TRACE(row.name + (" " + name_of(method)));
      const Case &each = case_named(row.name);
      Walked found = walk(each, method);
      const LevelPlan &plan = found.plan.levels.back();
      EXPECT_TRUE(found.outcome.proved);
      EXPECT_TRUE(found.outcome.available);
      EXPECT_FALSE(found.outcome.worthwhile);
      EXPECT_EQ(found.outcome.reason, "the state would need an array over " + std::string(row.state));
      ASSERT_TRUE(plan.walk());
      const plan::Walk &walk = *plan.walk();
      EXPECT_EQ(plan.method(), method);
      EXPECT_EQ(braces(walk.state), row.state);
      EXPECT_EQ(text_of(walk.state_index), row.index);
      EXPECT_EQ(text_of(walk.state_extent), row.extent);
      EXPECT_EQ(text_of(walk.state_room), row.extent);
      EXPECT_EQ(walk.state_level, row.level);
      EXPECT_TRUE(walk.clamp);
      EXPECT_EQ(term::to_text(walk.start), "0");
      EXPECT_TRUE(is_right(each, found.plan.levels, 300));
    }
}

/// Taken apart, an array of states is refuted: one slot for all, or a longer life.
TEST(FindStates, arrays_are_needed) {
  for (const char *name : {"10b", "10c", "12b", "14b"}) {
    Walked found = walk(case_named(name), Method::Sequential);
    auto &walk = *found.plan.levels.back().as<plan::Walk>();
    walk.state_index.assign(walk.state_index.size(), 0);
    EXPECT_FALSE(is_right(case_named(name), found.plan.levels, 300)) << name;
  }
  Walked found = walk(case_named("12b"), Method::Sequential);
  found.plan.levels.back().as<plan::Walk>()->state_level = 0;
  EXPECT_FALSE(is_right(case_named("12b"), found.plan.levels, 300));
}

TEST(FindStates, no_array_where_the_range_is_unknown) {
  Case each = case_named("10c");
  std::erase_if(each.axioms, [](const prove::Axiom &axiom) { return axiom.text == "range of A.row"; });
  Walked found = walk(each, Method::Sequential);
  EXPECT_TRUE(found.outcome.proved);
  EXPECT_FALSE(found.outcome.available);
  EXPECT_EQ(found.outcome.reason, "the state would need an array over {i}, whose range or start isn't known");
  EXPECT_FALSE(found.plan.levels.back().walk());
}

TEST(FindStates, clamped_downwards_from_a_size) {
  for (const char *name : {"u15", "u20"}) {
    const Case &each = case_named(name);
    Walked found = walk(each, Method::Sequential);
    EXPECT_TRUE(found.outcome.available && found.outcome.worthwhile) << name;
    auto &plan = *found.plan.levels.back().as<plan::Walk>();
    EXPECT_EQ(plan.direction, Direction::Down);
    EXPECT_TRUE(plan.clamp);
    EXPECT_TRUE(plan.state.empty());
    EXPECT_EQ(term::to_text(plan.start), "B.nnz - 1");
    EXPECT_TRUE(is_right(each, found.plan.levels, 300)) << name;
    // A start in the middle isn't behind every segment.
    plan.start = 2;
    EXPECT_FALSE(is_right(each, found.plan.levels, 300)) << name;
  }
}

/// A limit that isn't said of the pointers alone isn't looked for.
TEST(FindStates, no_clamp_downwards_without_a_size) {
  Case each = case_named("u15");
  for (prove::Axiom &axiom : each.axioms)
    if (axiom.text == "range of B.back") axiom.variables.push_back("s");
  Walked found = walk(each, Method::Sequential);
  EXPECT_TRUE(found.outcome.proved);
  EXPECT_FALSE(found.outcome.available);
  EXPECT_EQ(found.outcome.reason, "the state would need an array over {i}, whose range or start isn't known");
}

} // namespace
} // namespace unravel::find::test
