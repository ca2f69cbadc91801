// Where a walk that has reached its segment's end may leave the loop around it, and where that would leave
// more than it may.
#include "lower/loop_end.h"

#include <gtest/gtest.h>

namespace unravel::lower {
namespace {

using plan::Method;
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
    find.method = Method::Sequential;
    find.unique = true;
    find.state = {"r"};
    find.state_level = 1;
    plan.finds.levels.push_back(find);
  }
  return plan;
}

bool inner_ends(const LeafPlan &plan, std::optional<std::size_t> cleared = {}) {
  return ends_loop(plan, plan.finds.levels.back(), cleared);
}

TEST(LoopEnd, walks_whose_state_and_end_outlive_the_loop) {
  LeafPlan plan = leaf();
  EXPECT_TRUE(ends_loop(plan, plan.finds.levels.front(), {}));
  EXPECT_TRUE(inner_ends(plan));
  EXPECT_TRUE(inner_ends(plan, 1));
  for (Method method : {Method::Direct, Method::Galloping, Method::Binary, Method::Map}) {
    plan.finds.levels.front().method = method;
    EXPECT_TRUE(inner_ends(plan)) << plan::name_of(method);
  }
  plan.finds.levels.back().method = Method::Galloping;
  EXPECT_TRUE(inner_ends(plan));
  // A chain of its own is walked with a variable of its own.
  plan.finds.levels.back().unique = false;
  EXPECT_TRUE(inner_ends(plan));
}

TEST(LoopEnd, not_what_keeps_no_state) {
  LeafPlan plan = leaf();
  for (Method method : {Method::Direct, Method::Binary, Method::Map, Method::Scan}) {
    plan.finds.levels.back().method = method;
    EXPECT_FALSE(inner_ends(plan)) << plan::name_of(method);
  }
}

TEST(LoopEnd, not_where_the_state_begins_anew_or_depends_on_the_loop) {
  LeafPlan plan = leaf();
  plan.finds.levels.back().state_level = 2;
  EXPECT_FALSE(inner_ends(plan));
  plan = leaf();
  plan.finds.levels.back().state = {"j"};
  EXPECT_FALSE(inner_ends(plan));
  plan = leaf();
  plan.finds.levels.back().state_index = {variable("j")};
  EXPECT_FALSE(inner_ends(plan));
}

TEST(LoopEnd, not_where_the_segment_ends_elsewhere_in_each_iteration) {
  for (const std::string name : {"p", "j"}) {
    LeafPlan plan = leaf();
    plan.nest.levels[4].upper = variable(name);
    EXPECT_FALSE(inner_ends(plan)) << name;
    // Downwards its end is the lower bound.
    plan.finds.levels.back().direction = plan::Direction::Down;
    EXPECT_TRUE(inner_ends(plan)) << name;
    plan.nest.levels[4].lower = variable(name);
    EXPECT_FALSE(inner_ends(plan)) << name;
  }
}

TEST(LoopEnd, not_where_the_break_would_leave_the_loop_of_another_find) {
  for (Method method : {Method::Scan, Method::Hash}) {
    LeafPlan plan = leaf();
    plan.finds.levels.front().method = method;
    EXPECT_FALSE(inner_ends(plan)) << plan::name_of(method);
  }
  LeafPlan plan = leaf();
  plan.finds.levels.front().unique = false;
  EXPECT_FALSE(inner_ends(plan));
  // Many iterations are tested at once.
  plan = leaf();
  plan.finds.levels.front().method = Method::Map;
  plan.finds.levels.front().map_form = plan::MapForm::Marked;
  EXPECT_FALSE(inner_ends(plan));
}

TEST(LoopEnd, not_where_an_iteration_does_something_without_a_match) {
  EXPECT_FALSE(inner_ends(leaf(), 2)); // clears an element
  LeafPlan plan = leaf();
  plan::LevelPlan map;
  map.method = Method::Map;
  map.level = 5;
  map.map_level = 3; // fills and empties a map
  plan.finds.levels.push_back(map);
  EXPECT_FALSE(ends_loop(plan, plan.finds.levels[1], {}));
  plan.finds.levels.back().map_level = 1;
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
  plan.finds.levels.back().state_level = 0;
  EXPECT_FALSE(inner_ends(plan));
}

} // namespace
} // namespace unravel::lower
