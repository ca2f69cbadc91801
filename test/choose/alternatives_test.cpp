// Which alternatives a plan gets, and under which conditions. A golden case is a computation with formats and
// perhaps a schedule (`parallel i`, right or not); a new one needs no code. That every alternative computes
// the same is tested by executing it (test/run).
#include "choose/alternatives.h"
#include "cost/thresholds.h"
#include "golden.h"
#include "loop/verify.h"
#include "lower/lower.h"
#include "scan/scan_text.h"
#include "scan/uses.h"

namespace unravel::test {
namespace {

/// A leaf's plan with its alternatives, and what it is lowered with.
struct Chosen {
  combine::Combination made;
  plan::LeafPlan plan;

  explicit Chosen(const std::string &input, const find::Requests &requests = {}) {
    CombinationText text = read_combination_text(input);
    made = combine_text(text);
    parse::ScheduleTree schedule = parse::parse_schedule(source_named("-s", text.schedule));
    const combine::IterationSpace &leaf = made.leaves.at(0);
    schedule::Order order = schedule.order.empty() ? schedule::plan_order(leaf, {})
                                                   : schedule::complete_order(leaf, schedule.order);
    prove::Prover prover(made.axioms);
    plan.nest = scan::scan_space(leaf, order, made.axioms, made.arrays);
    plan.finds = find::plan_finds(plan.nest, prover, requests, {}, scan::needs_of_positions(leaf, plan.nest));
    for (const parse::Name &name : schedule.parallel)
      for (std::size_t k = 0; k < plan.nest.levels.size(); ++k)
        if (plan.nest.levels[k].variable == name.text) plan.parallel = k;
    const bool is_sum =
        std::none_of(plan.nest.levels.begin(), plan.nest.levels.end(),
                     [&](const auto &level) { return term::mentions(leaf.target.slot, level.variable); });
    plan.reduction = is_sum ? plan::Reduction::Scalar : plan::Reduction::None;
    const cost::Thresholds thresholds = cost::thresholds_of(machine::portable());
    choose::add_alternatives(plan, order,
                             {leaf, made, prover, requests, !schedule.order.empty(), thresholds});
  }

  loop::Program program() const { return lower::lower(made, {&plan}, {}); }
};

/// What goes wrong inside of us while another plan is tried is a bug of ours, no plan that is refused.
TEST(ChooseAlternatives, BugsAreNotSwallowed) {
  CombinationText text = read_combination_text("y(i) = A(i,j) * x(j)\n-f A=csr\n-f x=sv");
  const combine::Combination made = combine_text(text);
  const combine::IterationSpace &leaf = made.leaves.at(0);
  const schedule::Order order = schedule::plan_order(leaf, {});
  prove::Prover prover(made.axioms);
  plan::LeafPlan plan;
  plan.nest = scan::scan_space(leaf, order, made.axioms, made.arrays);
  plan.finds = find::plan_finds(plan.nest, prover, {}, {}, scan::needs_of_positions(leaf, plan.nest));
  combine::IterationSpace broken = leaf;
  broken.relation = term::conjunction({leaf.relation, term::variable("i")}); // an integer is no formula
  const cost::Thresholds thresholds = cost::thresholds_of(machine::portable());
  try {
    choose::add_alternatives(plan, order, {broken, made, prover, {}, false, thresholds});
    ADD_FAILURE() << plan::to_text(plan);
  } catch (const report::Error &error) {
    EXPECT_EQ(error.diagnostic().kind, report::Kind::internal) << error.what();
  }
}

TEST(ChooseGolden, Alternatives) {
  golden_run("choose", "alternatives", [](const std::string &input) {
    std::string text = plan::to_text(Chosen(input).plan);
    return text.empty() ? "none\n" : text;
  });
}

TEST(ChooseGolden, Programs) {
  golden_run("choose", "programs",
             [](const std::string &input) { return loop::to_text(Chosen(input).program().body); });
}

TEST(ChooseGolden, EveryProgramIsWellFormedAndReadsBack) {
  for (const std::string name : {"alternatives", "programs"})
    for (const std::string &input : golden_inputs("choose", name)) {
      loop::Program program = Chosen(input).program();
      EXPECT_NO_THROW(loop::verify(program)) << input;
      EXPECT_EQ(loop::to_text(loop::parse_program(loop::to_text(program))), loop::to_text(program)) << input;
    }
}

const std::string spmspv = "y(i) = A(i,j) * x(j)\n-f A=csr\n-f x=sv";

TEST(Choose, nothing_where_the_user_asks_for_a_method) {
  EXPECT_FALSE(Chosen(spmspv).plan.alternatives.empty());
  for (plan::Method method : {plan::Method::Map, plan::Method::Sequential, plan::Method::Binary})
    EXPECT_TRUE(Chosen(spmspv, {{"x", method}}).plan.alternatives.empty());
}

/// The array of a map is only as long as the limit; beyond it another plan is executed.
TEST(Choose, a_map_that_is_too_long_is_left_out) {
  for (const std::string schedule : {"", "\n-s parallel i"}) {
    plan::LeafPlan plan = Chosen(spmspv + schedule).plan;
    const auto *map = plan.finds.levels.back().as<plan::DenseMap>();
    ASSERT_TRUE(map);
    EXPECT_EQ(map->limit, cost::longest_map);
    ASSERT_FALSE(plan.alternatives.empty());
    const plan::Alternative &first = plan.alternatives.front();
    EXPECT_EQ(first.condition, term::less(term::Term(cost::longest_map), map->extent));
    for (const plan::LevelPlan &find : first.plan.finds.levels)
      EXPECT_FALSE(find.as<plan::DenseMap>());
    // The others share the map's limit.
    for (const plan::Alternative &other : plan.alternatives)
      for (const plan::LevelPlan &find : other.plan.finds.levels) {
        const auto *other_map = find.as<plan::DenseMap>();
        EXPECT_TRUE(!other_map || other_map->limit == cost::longest_map);
      }
    std::string extents;
    for (const loop::WorkspaceArray &array : Chosen(spmspv + schedule).program().workspace)
      extents += array.name + " ";
    EXPECT_NE(extents.find("x.p.values"), std::string::npos) << extents;
  }
}

/// Each thread that has a map of its own may have a shorter one.
TEST(Choose, maps_of_each_thread_are_shorter) {
  plan::LeafPlan plan =
      Chosen("s = A(i,j) * B(i,k) * C(j,k)\n-f A=csr\n-f B=csr\n-f C=csr\n-s parallel i").plan;
  std::int64_t limit = 0;
  for (const plan::LevelPlan &find : plan.finds.levels)
    if (const auto *map = find.as<plan::DenseMap>()) limit = map->limit;
  EXPECT_EQ(limit, cost::longest_map_per_thread);
}

/// What follows `split` agrees with what comes before: the levels, and where states and maps begin.
TEST(Choose, alternatives_share_the_outer_levels) {
  for (const std::string &input : golden_inputs("choose", "alternatives")) {
    plan::LeafPlan plan = Chosen(input).plan;
    for (const plan::Alternative &other : plan.alternatives) {
      EXPECT_TRUE(other.plan.alternatives.empty());
      ASSERT_GE(other.plan.nest.levels.size(), plan.split);
      for (std::size_t k = 0; k < plan.split; ++k)
        EXPECT_EQ(other.plan.nest.levels[k].variable, plan.nest.levels[k].variable) << input;
      for (const plan::LevelPlan &find : other.plan.finds.levels) {
        if (find.level < plan.split) continue; // the main plan's
        EXPECT_GE(find.made_at().value_or(plan.split), plan.split) << input;
      }
      std::set<std::string> known;
      for (std::size_t k = 0; k < plan.split; ++k)
        known.insert(plan.nest.levels[k].variable);
      for (std::size_t k = plan.split; k < plan.nest.levels.size(); ++k)
        EXPECT_FALSE(term::mentions(other.condition, plan.nest.levels[k].variable)) << input;
    }
  }
}

} // namespace
} // namespace unravel::test
