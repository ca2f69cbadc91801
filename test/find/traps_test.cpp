// Plausible plans that are wrong, numbered as in the study of find synthesis. Each trap shows that an
// obligation refuses the plan, and that the plan without it differs from nested loops on some arrays.
#include "find/map.h"
#include "find/walk.h"
#include "levels.h"
#include "right.h"
#include "text/contains.h"

#include <gtest/gtest.h>

namespace unravel::find::test {
namespace {

/// The questions of a case's innermost find, and its automatic plan.
class Innermost {
public:
  explicit Innermost(const Case &each, unsigned budget = 200000)
      : case_(each), prover_(each.axioms, budget), plans_(plan_finds(each.nest, prover_).levels),
        outer_(plans_),
        obligations_(each.nest, plans_.back().level, (outer_.pop_back(), outer_), prover_, own_) {
    own_.level = plans_.back().level;
  }
  explicit Innermost(const std::string &name) : Innermost(case_named(name)) {}

  Obligations &obligations() { return obligations_; }
  const prove::Prover &prover() const { return prover_; }
  Skip skip(const std::string &name) {
    for (const Skip &each : obligations_.skips())
      if (each.name == name) return each;
    throw std::logic_error("no skip condition " + name);
  }
  LevelPlan automatic() const { return plans_.back(); }
  /// What a template fills in, worthwhile or not.
  LevelPlan by(Outcome (*attempt)(Obligations &, LevelPlan &)) {
    EXPECT_TRUE(attempt(obligations_, own_).proved);
    return own_;
  }
  /// Whether nested loops differ from this plan of the innermost find.
  bool is_refuted(const LevelPlan &plan) const { return is_refuted(plan, case_); }
  bool is_refuted(const LevelPlan &plan, const Case &arrays) const {
    std::vector<LevelPlan> plans = plans_;
    plans.back() = plan;
    return !is_right(arrays, plans, 3000);
  }

private:
  const Case &case_;
  prove::Prover prover_;
  std::vector<LevelPlan> plans_, outer_;
  LevelPlan own_;
  Obligations obligations_;
};

plan::Walk &walk_of(LevelPlan &plan) {
  return *plan.as<plan::Walk>();
}

/// A walk upwards whose scalar lives before a level of the nest.
LevelPlan up(LevelPlan plan, const Variables &state, std::size_t level, const Term &start) {
  plan::Walk walk = plan.walk() ? *plan.walk() : plan::Walk{};
  walk.state = state;
  walk.state_level = level;
  walk.start = start;
  walk.clamp = false;
  plan.how = walk;
  return plan;
}

TEST(FindTraps, nothing_is_refuted_unchanged) {
  for (const char *name : {"1b", "7", "18", "22", "12", "u15"}) {
    Innermost find(name);
    EXPECT_FALSE(find.is_refuted(find.automatic())) << name;
  }
}

/// "Targets of two visits obey the property of the array" holds vacuously for positions of different rows,
/// and would drop the row from the state.
TEST(FindTraps, trap_1_one_state_for_segments_that_start_elsewhere) {
  struct Row {
    const char *name;
    Variables state;
    std::size_t level;
  };
  for (const auto &[name, state, level] :
       {Row{"7", {}, 0}, {"8a", {}, 0}, {"8d", {}, 0}, {"9b", {}, 0}, {"12", {"i"}, 1}, {"13", {}, 0}}) {
    Innermost find(name);
    EXPECT_FALSE(find.obligations().start_fixed(Direction::Up, state)) << name;
    // It is the start that refuses: what is skipped isn't needed again.
    EXPECT_TRUE(find.obligations().persist(find.skip(">"), state)) << name;
    LevelPlan unguarded = up(find.automatic(), state, level, 0);
    EXPECT_TRUE(find.is_refuted(unguarded)) << name;
    // Clamped to the segment it is right.
    EXPECT_TRUE(find.obligations().start_moves_on(Direction::Up, state)) << name;
    walk_of(unguarded).clamp = true;
    EXPECT_FALSE(find.is_refuted(unguarded)) << name;
  }
}

TEST(FindTraps, trap_1_one_state_for_targets_that_begin_anew) {
  Innermost find("6");
  EXPECT_TRUE(find.obligations().start_fixed(Direction::Up, {}));
  EXPECT_FALSE(find.obligations().persist(find.skip(">"), {}));
  EXPECT_TRUE(find.is_refuted(up(find.automatic(), {}, 0, 0)));
}

TEST(FindTraps, trap_2_stepping_past_a_match_that_is_needed_again) {
  for (const char *name : {"1b", "10a", "10e", "u19"}) {
    Innermost find(name);
    LevelPlan plan = find.automatic();
    ASSERT_TRUE(plan.unique && !walk_of(plan).advance) << name;
    EXPECT_FALSE(find.obligations().advance(walk_of(plan).state)) << name;
    walk_of(plan).advance = true;
    EXPECT_TRUE(find.is_refuted(plan)) << name;
  }
}

TEST(FindTraps, trap_3_a_chain_moves_the_state) {
  for (const char *name : {"5b", "18"}) {
    Innermost find(name);
    LevelPlan plan = find.automatic();
    ASSERT_TRUE(!plan.unique && !walk_of(plan).advance) << name;
    EXPECT_FALSE(find.obligations().advance(walk_of(plan).state)) << name;
    walk_of(plan).advance = true; // the state follows the chain to its end
    EXPECT_TRUE(find.is_refuted(plan)) << name;
  }
}

TEST(FindTraps, trap_3_only_one_of_several_matches) {
  for (const char *name : {"5", "5b", "8f", "18"}) {
    Innermost find(name);
    LevelPlan plan = find.automatic();
    EXPECT_FALSE(find.obligations().unique()) << name;
    plan.unique = true;
    EXPECT_TRUE(find.is_refuted(plan)) << name;
  }
}

/// Inner finds expect the positions of a chain in rising order.
TEST(FindTraps, trap_4_a_chain_walked_downwards) {
  Innermost vectors("2w");
  ASSERT_TRUE(choose_walk(vectors.obligations(), true, false)->profit);
  EXPECT_EQ(choose_walk(vectors.obligations(), true, false)->direction, Direction::Down);
  EXPECT_EQ(choose_walk(vectors.obligations(), false, false)->direction, Direction::Up);

  const Case &each = case_named("8d");
  prove::Prover prover(each.axioms);
  std::vector<LevelPlan> plans = plan_finds(each.nest, prover).levels;
  ASSERT_FALSE(plans[0].unique);
  ASSERT_EQ(plans[1].method(), Method::Sequential);
  ASSERT_TRUE(plans[0].walk());
  auto &chain = *plans[0].as<plan::Walk>();
  chain.direction = Direction::Down;
  chain.skip = less(v("i"), at("A.row", v("A.p")));
  chain.state = {"i"};
  chain.state_level = 1;
  chain.start = v("A.nnz") - Term(1);
  EXPECT_FALSE(is_right(each, plans, 3000));
}

/// A loop in two chunks, the second one first.
Case in_two_chunks(const std::string &name) {
  Case each = case_named(name);
  Level &loop_in_chunks = each.nest.levels.front();
  Term chunk = v("chunk");
  loop_in_chunks.upper = minimum({scale(2, chunk) + Term(2), loop_in_chunks.upper});
  loop_in_chunks.lower = scale(2, chunk);
  each.nest.levels = loop("c", 0, 4) + let("chunk", Term(3) - v("c")) + each.nest.levels;
  return each;
}

TEST(FindTraps, trap_5_a_state_shared_by_chunks_out_of_order) {
  for (const char *name : {"1", "7 let"}) {
    Case each = in_two_chunks(name);
    Innermost find(each);
    EXPECT_FALSE(find.obligations().persist(find.skip(">"), {}) &&
                 find.obligations().start_moves_on(Direction::Up, {}))
        << name;
    LevelPlan plan = find.by(try_sequential);
    EXPECT_TRUE(plan.method() == Method::Sequential && plan.made_at() >= 1u) << name;
    LevelPlan shared = up(plan, {}, 0, 0);
    walk_of(shared).clamp = true;
    EXPECT_TRUE(find.is_refuted(shared)) << name;
    // With a state per chunk it is right.
    walk_of(shared).state_level = 2;
    EXPECT_FALSE(find.is_refuted(shared)) << name;
  }
}

TEST(FindTraps, trap_6_a_hash_map_that_lives_too_long) {
  struct Row {
    const char *name;
    std::size_t level;
  };
  for (const auto &[name, level] : {Row{"7", 1}, {"6b", 1}, {"8d", 1}, {"12", 2}, {"13", 6}}) {
    Innermost find(name);
    EXPECT_EQ(map_level(find.obligations()), level) << name;
    LevelPlan plan = find.by(try_hash);
    EXPECT_EQ(plan.made_at(), level) << name;
    EXPECT_FALSE(find.is_refuted(plan)) << name;
    // The map of the first row, once for all.
    std::string outer = find.obligations().outer()[level - 1];
    for (Term *bound : {&plan.filled_map()->lower, &plan.filled_map()->upper}) {
      EXPECT_FALSE(computed_before(find.obligations(), *bound, level - 1)) << name;
      term::Substitution by;
      for (const std::string &variable : variables_of(*bound))
        if (contains(find.obligations().outer(), variable)) by[variable] = 0;
      *bound = substitute(*bound, by);
    }
    plan.filled_map()->level = 0;
    EXPECT_TRUE(find.is_refuted(plan)) << name;
  }
}

/// The keys of rows of slots depend on the row, though their segments don't.
TEST(FindTraps, trap_6_keys_decide_the_level_too) {
  Innermost find("15b");
  EXPECT_TRUE(computed_before(find.obligations(), find.obligations().level().upper, 0));
  EXPECT_EQ(map_level(find.obligations()), 4u);
  EXPECT_FALSE(loops_since(find.obligations(), 4) > 0);
  LevelPlan plan = find.by(try_hash);
  EXPECT_FALSE(find.is_refuted(plan));
  plan.filled_map()->level = 0;
  plan.filled_map()->keys = {apply("E.col", {0, v("E.s")})};
  EXPECT_TRUE(find.is_refuted(plan));
}

/// Blocks that begin anywhere aren't found by the quotient.
TEST(FindTraps, trap_6_blocks_that_begin_anywhere) {
  Innermost find("10e");
  LevelPlan plan = find.automatic();
  EXPECT_FALSE(try_hash(find.obligations(), plan).proved);
  plan.how = plan::HashMap{{4,
                            find.obligations().level().lower,
                            find.obligations().level().upper,
                            {floor_divide(at("B.bcol", v("B.p")), 3)},
                            {floor_divide(v("j"), 3)}}};
  EXPECT_TRUE(find.is_refuted(plan));
}

/// Sequential iteration is proved in padded rows; bisection is neither proved nor right.
TEST(FindTraps, trap_7_bisection_in_padded_rows) {
  Innermost find("15b");
  LevelPlan plan = find.automatic();
  ASSERT_EQ(plan.method(), Method::Sequential);
  EXPECT_TRUE(find.obligations().stop(Direction::Up, find.skip(">")));
  EXPECT_FALSE(find.obligations().partition(Direction::Up, find.skip(">")));
  plan::Walk walk = *plan.walk();
  plan.how = plan::Binary{walk.skip};
  EXPECT_TRUE(find.is_refuted(plan));
  walk.gallops = true;
  plan.how = walk;
  EXPECT_TRUE(find.is_refuted(plan));
}

/// O-part holds in one direction at a time: what is skipped upwards is no prefix seen from the end.
TEST(FindTraps, trap_7_galloping_needs_the_walking_direction) {
  Innermost find("2");
  ASSERT_EQ(find.automatic().walk()->direction, Direction::Down);
  EXPECT_TRUE(find.obligations().partition(Direction::Down, find.skip(">")));
  EXPECT_FALSE(find.obligations().partition(Direction::Up, find.skip(">")));
  LevelPlan plan = find.by(try_galloping);
  EXPECT_FALSE(find.is_refuted(plan));
  walk_of(plan).direction = Direction::Up;
  walk_of(plan).start = 0;
  EXPECT_TRUE(find.is_refuted(plan));
}

/// Contradictory properties prove everything.
TEST(FindTraps, trap_8_contradictions_prove_everything) {
  Innermost find("19");
  EXPECT_EQ(find.obligations().vacuity(), prove::Answer::Refuted);
  EXPECT_EQ(find.automatic().method(), Method::Scan);
  EXPECT_TRUE(find.obligations().unique());
  for (const Skip &skip : find.obligations().skips())
    for (Direction direction : {Direction::Up, Direction::Down}) {
      EXPECT_TRUE(find.obligations().stop(direction, skip));
      EXPECT_TRUE(find.obligations().persist(skip, {}));
    }
  LevelPlan plan = find.by(try_sequential);
  EXPECT_TRUE(find.is_refuted(plan, case_named("4")));
}

TEST(FindTraps, trap_9_undecided_is_not_proved) {
  Innermost find(case_named("4"), 100);
  Obligations &asked = find.obligations();
  Skip skip = find.skip(">");
  EXPECT_FALSE(asked.unique());
  EXPECT_FALSE(asked.contiguous());
  EXPECT_FALSE(asked.stop(Direction::Up, skip));
  EXPECT_FALSE(asked.partition(Direction::Up, skip));
  EXPECT_FALSE(asked.persist(skip, {}));
  EXPECT_FALSE(asked.profit({})); // a question of cost only
  std::size_t unknown = 0;
  for (const prove::Question &question : find.prover().log())
    if (question.answer == prove::Answer::Unknown) ++unknown;
  EXPECT_GE(unknown, 6u);
  // What would follow from taking them for proved.
  LevelPlan plan = up(find.automatic(), {}, 0, 0);
  plan.unique = plan.contiguous = true;
  walk_of(plan).skip = skip.condition;
  EXPECT_TRUE(find.is_refuted(plan));
}

/// A walk downwards starts at upper - 1, which is lower - 1 for an empty segment.
TEST(FindTraps, trap_10_empty_segments_downwards) {
  Innermost find("22");
  LevelPlan plan = find.automatic();
  ASSERT_EQ(walk_of(plan).direction, Direction::Down);
  EXPECT_EQ(term::to_text(walk_of(plan).start), "B.rowptr(i + 1) - 1");
  walk_of(plan).start = walk_of(plan).start + Term(1);
  EXPECT_TRUE(find.is_refuted(plan));
  // The first position of the segment is not outside it.
  Term lower = find.obligations().level().lower;
  plan = find.automatic();
  walk_of(plan).start = lower;
  EXPECT_TRUE(find.is_refuted(plan));
}

/// Upwards a clamp is the maximum, downwards the minimum; and starts must move in the walking direction.
TEST(FindTraps, trap_10_clamps_by_direction) {
  Innermost find("u15");
  LevelPlan plan = find.automatic();
  ASSERT_TRUE(walk_of(plan).clamp && walk_of(plan).direction == Direction::Down);
  EXPECT_TRUE(find.obligations().start_moves_on(Direction::Down, {}));
  EXPECT_FALSE(find.obligations().start_moves_on(Direction::Up, {}));
  walk_of(plan).clamp = false;
  EXPECT_TRUE(find.is_refuted(plan));

  Innermost rising("22");
  EXPECT_FALSE(rising.obligations().start_moves_on(Direction::Down, {}));
  EXPECT_FALSE(rising.obligations().start_fixed(Direction::Down, {}));
  plan = rising.automatic();
  walk_of(plan).state = {};
  walk_of(plan).state_level = 0;
  walk_of(plan).start = v("B.nnz") - Term(1);
  walk_of(plan).clamp = true;
  EXPECT_TRUE(rising.is_refuted(plan));
}

/// The state may have reached the end of an earlier segment: no read before the test of the bounds.
TEST(FindTraps, trap_12_the_state_lies_outside_the_segment) {
  Innermost find("7 guard");
  LevelPlan plan = find.automatic();
  ASSERT_TRUE(walk_of(plan).clamp);
  EXPECT_FALSE(computed_before(find.obligations(), find.obligations().level().lower, 1));
  walk_of(plan).clamp = false;
  EXPECT_TRUE(find.is_refuted(plan));
}

/// Properties are trusted: a plan goes wrong on arrays that lack one, but only on those that a check of the
/// same formulas refuses. (Whole kernels with the check of operands, and trap 11, integers of 32 bits:
/// test/run/traps_test.cpp. Plans are over integers: here there are no 32 bits.)
TEST(FindTraps, trap_13_arrays_without_the_properties) {
  struct Row {
    const char *proved, *weaker;
  };
  for (const auto &[proved, weaker] : {Row{"1", "4"}, {"1", "5"}, {"5", "4b"}, {"8b", "8g"}, {"22", "7"}}) {
    const Case &each = case_named(proved);
    prove::Prover prover(each.axioms);
    std::vector<LevelPlan> plans = plan_finds(each.nest, prover).levels;
    Random random(3);
    int wrong = 0;
    for (int k = 0; k < 1000; ++k) {
      World world;
      case_named(weaker).generate(random, world);
      bool trusted = std::all_of(each.axioms.begin(), each.axioms.end(),
                                 [&](const prove::Axiom &axiom) { return satisfies(world, axiom); });
      bool right = is_right(each.nest, world, plans);
      EXPECT_TRUE(right || !trusted) << proved << " on arrays of " << weaker;
      wrong += !right;
    }
    EXPECT_GT(wrong, 0) << proved << " on arrays of " << weaker;
  }
}

/// Blocks of width 2 at every third coordinate, targets from -4 on.
Case spaced_blocks() {
  return {"spaced blocks",
          "",
          {},
          {loop("i", -4, 11) + search("B.b", 0, v("B.nb"), {{scale(3, v("B.b")), v("i"), 2}})},
          [](Random &random, World &world) { world.variables["B.nb"] = pick(random, 0, 4); }};
}

TEST(FindTraps, trap_14_direct_positions_are_tested_and_rounded_down) {
  Case each = spaced_blocks();
  Innermost find(each);
  LevelPlan plan = find.automatic();
  auto *direct = plan.as<plan::Direct>();
  ASSERT_TRUE(direct);
  EXPECT_EQ(direct->position, floor_divide(v("i"), 3));
  EXPECT_FALSE(find.is_refuted(plan));
  EXPECT_FALSE(find.obligations().direct_matches(direct->position));
  EXPECT_FALSE(find.obligations().direct_in_bounds(direct->position));
  for (bool plan::Direct::*check : {&plan::Direct::check_match, &plan::Direct::check_bounds}) {
    LevelPlan unguarded = plan;
    unguarded.as<plan::Direct>()->*check = false;
    EXPECT_TRUE(find.is_refuted(unguarded));
  }
  // Rounded up.
  EXPECT_FALSE(find.obligations().direct(ceil_divide(v("i"), 3)));
  direct->position = ceil_divide(v("i"), 3);
  EXPECT_TRUE(find.is_refuted(plan));
}

TEST(FindTraps, trap_14_bounds_of_a_direct_position) {
  Innermost find("21");
  LevelPlan plan = find.automatic();
  auto *direct = plan.as<plan::Direct>();
  ASSERT_TRUE(direct && direct->check_bounds && !direct->check_match);
  direct->check_bounds = false;
  EXPECT_TRUE(find.is_refuted(plan));
}

TEST(FindTraps, wrong_direction_or_sign) {
  Innermost rising("1");
  LevelPlan plan = rising.automatic();
  EXPECT_FALSE(rising.obligations().stop(Direction::Up, rising.skip("<")));
  walk_of(plan).skip = rising.skip("<").condition;
  EXPECT_TRUE(rising.is_refuted(plan));
  Innermost falling("2");
  EXPECT_FALSE(falling.obligations().stop(Direction::Up, falling.skip(">")));
  plan = falling.automatic();
  walk_of(plan).direction = Direction::Up;
  walk_of(plan).start = 0;
  EXPECT_TRUE(falling.is_refuted(plan));
}

/// A property that is too weak by one, or holds of a part only.
TEST(FindTraps, properties_that_nearly_suffice) {
  for (const char *name : {"u5", "u12", "u18"}) {
    Innermost find(name);
    EXPECT_FALSE(find.obligations().stop(Direction::Up, find.skip(">"))) << name;
    LevelPlan plan = find.automatic();
    plan.how = plan::Binary{find.skip(">").condition};
    EXPECT_TRUE(find.is_refuted(plan)) << name;
  }
}

} // namespace
} // namespace unravel::find::test
