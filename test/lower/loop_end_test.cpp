// Where a walk that has reached its segment's end may leave the loop around it, and where that would leave
// more than it may.
#include "lower/state.h"

#include <gtest/gtest.h>

namespace unravel::lower {
namespace {

using scan::Level;
using term::Term;
using term::variable;

Level level(Level::Kind kind, const std::string &name) {
  Level made;
  made.kind = kind;
  made.variable = name;
  return made;
}

/// for r { for p { j = ...; find q { find s } } } with states per r.
LeafPlan leaf() {
  LeafPlan plan;
  plan.nest.levels = {level(Level::Kind::Loop, "r"), level(Level::Kind::Loop, "p"),
                      level(Level::Kind::Let, "j"), level(Level::Kind::Find, "q"),
                      level(Level::Kind::Find, "s")};
  for (std::size_t at : {3, 4}) {
    plan.nest.levels[at].upper = term::apply("B.rowptr", {variable("r")});
    plan::LevelPlan find;
    find.level = at;
    find.unique = true;
    plan::Walk walk;
    walk.state = {"r"};
    walk.state_level = 1;
    find.how = walk;
    plan.finds.levels.push_back(find);
  }
  return plan;
}

plan::Walk &inner_walk(LeafPlan &plan) {
  return *plan.finds.levels.back().as<plan::Walk>();
}

/// What is put in place of a walk.
using How = decltype(plan::LevelPlan::how);

plan::Walk galloping() {
  plan::Walk walk;
  walk.gallops = true;
  return walk;
}

plan::DenseMap marked() {
  plan::DenseMap map;
  map.form = plan::MapForm::Marked;
  return map;
}

bool inner_ends(const LeafPlan &plan, std::optional<std::size_t> cleared = {}) {
  return ends_loop(plan, plan.finds.levels.back(), cleared);
}

TEST(LoopEnd, walks_whose_state_and_end_outlive_the_loop) {
  LeafPlan plan = leaf();
  EXPECT_TRUE(ends_loop(plan, plan.finds.levels.front(), {}));
  EXPECT_TRUE(inner_ends(plan));
  EXPECT_TRUE(inner_ends(plan, 1));
  for (const How &how : {How(plan::Direct{}), How(galloping()), How(plan::Binary{}), How(plan::DenseMap{})}) {
    plan.finds.levels.front().how = how;
    EXPECT_TRUE(inner_ends(plan)) << plan::name_of(plan.finds.levels.front().method());
  }
  inner_walk(plan).gallops = true;
  EXPECT_TRUE(inner_ends(plan));
  // A chain of its own is walked with a variable of its own.
  plan.finds.levels.back().unique = false;
  EXPECT_TRUE(inner_ends(plan));
}

TEST(LoopEnd, not_what_keeps_no_state) {
  LeafPlan plan = leaf();
  for (const How &how :
       {How(plan::Direct{}), How(plan::Binary{}), How(plan::DenseMap{}), How(plan::Scan{})}) {
    plan.finds.levels.back().how = how;
    EXPECT_FALSE(inner_ends(plan)) << plan::name_of(plan.finds.levels.back().method());
  }
}

TEST(LoopEnd, not_where_the_state_begins_anew_or_depends_on_the_loop) {
  LeafPlan plan = leaf();
  inner_walk(plan).state_level = 2;
  EXPECT_FALSE(inner_ends(plan));
  plan = leaf();
  inner_walk(plan).state = {"j"};
  EXPECT_FALSE(inner_ends(plan));
  plan = leaf();
  inner_walk(plan).state_index = {variable("j")};
  EXPECT_FALSE(inner_ends(plan));
}

TEST(LoopEnd, not_where_the_segment_ends_elsewhere_in_each_iteration) {
  for (const std::string name : {"p", "j"}) {
    LeafPlan plan = leaf();
    plan.nest.levels[4].upper = variable(name);
    EXPECT_FALSE(inner_ends(plan)) << name;
    // Downwards its end is the lower bound.
    inner_walk(plan).direction = plan::Direction::Down;
    EXPECT_TRUE(inner_ends(plan)) << name;
    plan.nest.levels[4].lower = variable(name);
    EXPECT_FALSE(inner_ends(plan)) << name;
  }
}

TEST(LoopEnd, not_where_the_break_would_leave_the_loop_of_another_find) {
  for (const How &how : {How(plan::Scan{}), How(plan::HashMap{})}) {
    LeafPlan plan = leaf();
    plan.finds.levels.front().how = how;
    EXPECT_FALSE(inner_ends(plan)) << plan::name_of(plan.finds.levels.front().method());
  }
  LeafPlan plan = leaf();
  plan.finds.levels.front().unique = false;
  EXPECT_FALSE(inner_ends(plan));
  // Many iterations are tested at once.
  plan = leaf();
  plan.finds.levels.front().how = marked();
  EXPECT_FALSE(inner_ends(plan));
}

TEST(LoopEnd, not_where_an_iteration_does_something_without_a_match) {
  EXPECT_FALSE(inner_ends(leaf(), 2)); // clears an element
  LeafPlan plan = leaf();
  plan::LevelPlan map;
  map.level = 5;
  map.how = plan::DenseMap{};
  map.filled_map()->level = 3; // fills and empties a map
  plan.finds.levels.push_back(map);
  EXPECT_FALSE(ends_loop(plan, plan.finds.levels[1], {}));
  plan.finds.levels.back().filled_map()->level = 1;
  EXPECT_TRUE(ends_loop(plan, plan.finds.levels[1], {}));
  plan = leaf();
  plan.alternatives.emplace_back(); // chooses between plans
  plan.split = 3;
  EXPECT_FALSE(inner_ends(plan));
  plan.split = 1;
  EXPECT_TRUE(inner_ends(plan));
}

TEST(LoopEnd, not_without_a_loop) {
  LeafPlan plan = leaf();
  plan.nest.levels[0].kind = Level::Kind::Let;
  plan.nest.levels[1].kind = Level::Kind::Let;
  inner_walk(plan).state_level = 0;
  EXPECT_FALSE(inner_ends(plan));
}

} // namespace
} // namespace unravel::lower
