// Every obligation can hold and can fail.
#include "cases.h"
#include "executor.h"
#include "find/obligations.h"
#include "levels.h"

#include <gtest/gtest.h>

namespace unravel::find::test {
namespace {

struct Verdict {
  std::set<std::string> held, failed;
};

/// "O-stop" of "O-stop(up, >)".
std::string kind_of(const std::string &name) {
  return name.substr(0, name.find_first_of("({ "));
}

void collect(const scan::Nest &nest, const std::vector<prove::Axiom> &axioms, Verdict &verdict,
             const Requests &requests = {}) {
  prove::Prover prover(axioms);
  FindPlan plan = plan_finds(nest, prover, requests);
  for (const LevelPlan &level : plan.levels)
    for (const Obligation &obligation : level.obligations) {
      const prove::Question &question = prover.log().at(obligation.question);
      EXPECT_EQ(question.name, obligation.name);
      EXPECT_EQ(question.about, nest.levels[level.level].variable);
      prove::Answer wanted = obligation.wanted_possible ? prove::Answer::Possible : prove::Answer::Refuted;
      EXPECT_EQ(obligation.holds, question.answer == wanted) << obligation.name;
      (obligation.holds ? verdict.held : verdict.failed).insert(kind_of(obligation.name));
    }
}

/// Asks of the innermost find of a case.
void ask(const char *name, Verdict &verdict, const std::function<void(Obligations &)> &questions) {
  const Case &each = case_named(name);
  prove::Prover prover(each.axioms);
  std::vector<LevelPlan> outer = plan_finds(each.nest, prover).levels;
  LevelPlan own;
  std::size_t level = outer.back().level;
  outer.pop_back();
  Obligations innermost(each.nest, level, outer, prover, own);
  questions(innermost);
  for (const Obligation &obligation : own.obligations)
    (obligation.holds ? verdict.held : verdict.failed).insert(kind_of(obligation.name));
}

/// Blocks of width 2 at every third coordinate: the position is known, a match isn't certain.
scan::Nest spaced_blocks() {
  return {loop("i", 0, v("M")) + search("B.b", 0, v("B.nb"), {{scale(3, v("B.b")), v("i"), 2}})};
}

/// Entries in row order; a find in segments of which nothing says that they don't lie below 0.
scan::Nest low_segments() {
  Levels nest = coo_loop("A") + search("B.p", at("B.first", v("i")), at("B.first", v("i") + Term(1)),
                                       {{at("B.idx", v("B.p")), v("j"), 1}});
  return {nest};
}

std::vector<prove::Axiom> low_segment_axioms() {
  Term r = v("r"), s = v("s"), p = v("p"), q = v("q");
  std::vector<prove::Axiom> axioms = Properties().coo("A", Order::Strict);
  axioms.push_back({"segments rise", {"r", "s"}, at_most(r, s), at_most(at("B.first", r), at("B.first", s))});
  axioms.push_back(
      {"sorted",
       {"r", "p", "q"},
       conjunction({at_most(at("B.first", r), p), less(p, q), less(q, at("B.first", r + Term(1)))}),
       less(at("B.idx", p), at("B.idx", q))});
  return axioms;
}

/// The same, where nothing says that they don't end before they begin.
scan::Nest loose_segments() {
  Levels nest = coo_loop("A") + search("B.p", at("B.first", v("i")), at("B.last", v("i")),
                                       {{at("B.idx", v("B.p")), v("j"), 1}});
  return {nest};
}

/// Coordinates below a size, each of them looked for.
scan::Nest limited_vector() {
  return {loop("k", 0, v("K")) + loop("i", 0, v("N")) + vector_find("B", v("i"))};
}

std::vector<prove::Axiom> limited_vector_axioms() {
  return Properties()
      .vector("B", Order::Different)
      .add("range of B.idx", {"p"}, truth(), between(0, at("B.idx", v("p")), v("N")));
}

TEST(FindObligations, each_holds_somewhere_and_fails_somewhere) {
  Verdict verdict;
  for (const Case &each : all_cases())
    collect(each.nest, each.axioms, verdict);
  collect(case_named("15b").nest, case_named("15b").axioms, verdict, {{"E.r", Method::Binary}});
  ask("10a", verdict, [](Obligations &innermost) {
    innermost.aligned(scale(3, at("B.bcol", v("B.p"))), 3);
    innermost.aligned(at("B.bcol", v("B.p")), 3);
  });
  ask("10c", verdict, [](Obligations &innermost) {
    innermost.ranges_below("i", v("A.M"));
    innermost.ranges_below("i", v("B.nb"));
  });
  ask("u15", verdict, [](Obligations &innermost) {
    innermost.ends_by(v("B.nnz"));
    innermost.ends_by(v("B.N"));
  });
  collect(limited_vector(), limited_vector_axioms(), verdict);
  collect(spaced_blocks(), {}, verdict);
  collect(low_segments(), low_segment_axioms(), verdict);
  collect(low_segments(), low_segment_axioms(), verdict, {{"B.p", Method::Hash}});
  collect(loose_segments(), Properties().coo("A", Order::Strict), verdict, {{"B.p", Method::Hash}});
  const std::set<std::string> all{"vacuity",     "O-uniq",  "O-contig", "O-stop",   "O-part",
                                  "O-persist",   "O-init",  "O-clamp",  "O-inc",    "O-place",
                                  "O-zero",      "O-high",  "O-range",  "O-block",  "O-direct",
                                  "O-in-bounds", "O-match", "O-target", "O-bounds", "profit"};
  EXPECT_EQ(verdict.held, all);
  EXPECT_EQ(verdict.failed, all);
}

TEST(FindObligations, partition_fails_for_padded_rows) {
  prove::Prover prover(case_named("15b").axioms);
  EXPECT_ANY_THROW(plan_finds(case_named("15b").nest, prover, {{"E.s", Method::Binary}}));
  bool failed = false;
  for (const prove::Question &question : prover.log())
    failed = failed || (kind_of(question.name) == "O-part" && question.answer == prove::Answer::Possible);
  EXPECT_TRUE(failed);
}

TEST(FindObligations, a_direct_position_of_spaced_blocks_is_tested) {
  prove::Prover prover({});
  scan::Nest nest = spaced_blocks();
  FindPlan plan = plan_finds(nest, prover);
  ASSERT_EQ(plan.levels.size(), 1u);
  EXPECT_EQ(summary(plan.levels[0]), "U1 C1 direct +bounds +match");
  EXPECT_EQ(term::to_text(plan.levels[0].as<plan::Direct>()->position), "floor(i / 3)");
  World world;
  world.variables = {{"M", 11}, {"B.nb", 3}};
  Executor executor(nest, world);
  EXPECT_EQ(executor.run(plan.levels), executor.run({}));
  EXPECT_EQ(executor.run({}).size(), 6u);
}

TEST(FindObligations, a_clamped_state_needs_a_first_value) {
  prove::Prover prover(low_segment_axioms());
  FindPlan plan = plan_finds(low_segments(), prover);
  EXPECT_EQ(summary(plan.levels.at(0)), "U1 C1 binary (the state would need an array over {i})");
  bool zero = true;
  for (const Obligation &obligation : plan.levels[0].obligations)
    if (obligation.name == "O-zero") zero = obligation.holds;
  EXPECT_FALSE(zero);
}

TEST(FindObligations, a_falling_key_is_solved) {
  // B.q counts down: key = 7 - q.
  scan::Nest nest{loop("i", 0, 8) + search("B.q", 0, 8, {{Term(7) - v("B.q"), v("i"), 1}})};
  prove::Prover prover({});
  FindPlan plan = plan_finds(nest, prover);
  EXPECT_EQ(summary(plan.levels.at(0)), "U1 C1 direct");
  EXPECT_EQ(term::to_text(plan.levels[0].as<plan::Direct>()->position), "-i + 7");
}

} // namespace
} // namespace unravel::find::test
