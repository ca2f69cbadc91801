// Requests that are refused, with their counterexamples; counterexamples to single obligations.
#include "combination_text.h"
#include "find/counterexample.h"
#include "find/obligations.h"
#include "prove/world.h"
#include "scan/scan.h"

#include <chrono>
#include <gtest/gtest.h>

namespace unravel::find::test {
namespace {

struct Problem {
  std::vector<prove::Axiom> axioms;
  scan::Nest nest;
};

Problem problem(const std::string &text) {
  unravel::test::CombinationText read = unravel::test::read_combination_text(text);
  combine::Combination made = unravel::test::combine_text(read);
  auto schedule = parse::parse_schedule(unravel::test::source_named("-s", read.schedule));
  const combine::IterationSpace &leaf = made.leaves.at(0);
  schedule::Order order = schedule.order.empty() ? schedule::plan_order(leaf, {})
                                                 : schedule::complete_order(leaf, schedule.order);
  return {made.axioms, scan::scan_space(leaf, order, made.axioms, made.arrays)};
}

std::string refusal(const std::string &text, const std::string &name, Method method) {
  Problem it = problem(text);
  prove::Prover prover(it.axioms);
  try {
    plan_finds(it.nest, prover, {{name, method}});
  } catch (const report::Error &error) {
    return error.diagnostic().message;
  }
  return "not refused";
}

const std::string spmspv = "y(i) = A(i,j) * x(j)\n-s order i, A.p, x.p\n-f A=csr\n-f x=";
const std::string product = "s = A(i,j) * B(i,j)\n-s order i, A.p, B.r, B.p\n-f A=csr\n-f B=";
const std::string coordinates = "s = A(i,j) * B(i,j)\n-s order i, A.p, B.p\n-f A=csr\n-f B=";

struct Refused {
  std::string text, name;
  Method method;
  std::string message;
};

const std::vector<Refused> refused = {
    {spmspv + "@sv_any", "x", Method::Binary, ""},
    {spmspv + "@sv_once", "x", Method::Binary, ""},
    {spmspv + "@sv_once", "x", Method::Sequential, ""},
    {spmspv + "sv", "x", Method::Direct, ""},
    {spmspv + "@unusual/sv_late", "x", Method::Sequential, ""},
    {spmspv + "@unusual/sv_tail", "x", Method::Binary, ""},
    {spmspv + "@unusual/sv_pairs", "x", Method::Binary, ""},
    {product + "@csr_any", "B", Method::Binary, ""},
    {product + "@csr_once", "B", Method::Binary, ""},
    {product + "@csr_even", "B", Method::Sequential, ""},
    {product + "@unusual/csr_tail", "B", Method::Binary, ""},
    {product + "@unusual/csr_two_rows", "B", Method::Binary, ""},
    {coordinates + "coo_unsorted", "B", Method::Binary, ""},
    {coordinates + "@coo_rows", "B", Method::Binary, ""},
    {coordinates + "coo_dup", "B", Method::Sequential, ""},
};

TEST(Counterexample, Refusals) {
  for (const Refused &each : refused)
    EXPECT_EQ(refusal(each.text, each.name, each.method), each.message) << each.text;
}

/// What is said of the obligations that fail for the last find of a nest.
std::string failures(const std::string &text, const std::function<void(Obligations &)> &ask) {
  Problem it = problem(text);
  prove::Prover prover(it.axioms);
  std::vector<LevelPlan> outer;
  for (const LevelPlan &plan : plan_finds(it.nest, prover).levels)
    outer.push_back(plan);
  std::size_t level = outer.back().level;
  outer.pop_back();
  LevelPlan plan;
  plan.level = level;
  Obligations obligations(it.nest, level, outer, prover, plan);
  ask(obligations);
  std::string result;
  for (const Obligation &obligation : plan.obligations)
    if (!obligation.holds)
      result += obligation.name + ": " + counterexample(it.nest, level, obligation, prover) + "\n";
  return result;
}

/// The obligations of states never refuse a request, as all variables are always a state: one by one.
TEST(Counterexample, OfStates) {
  auto ask = [](Obligations &obligations) {
    Skip rising = obligations.skips().at(0);
    obligations.persist(rising, {});
    obligations.start_fixed(Direction::Up, {});
    obligations.start_moves_on(Direction::Up, {});
    obligations.advance({});
  };
  EXPECT_EQ(failures(spmspv + "sv", ask), "");
  EXPECT_EQ(failures(product + "csr", ask), "");
  EXPECT_EQ(failures("s = A(i) * B(i)\n-s order A.p, i, B.p\n-f B=sv\n-f A=@sv_weak", ask), "");
  EXPECT_EQ(failures("s = A(i) * B(i)\n-s order A.p, i, B.p\n-f B=sv\n-f A=sv", ask), "");
}

/// Where the properties allow nothing wrong there is no counterexample, whatever the prover could prove.
TEST(Counterexample, NoneOfWhatIsTrue) {
  auto ask = [](Obligations &obligations) {
    obligations.stop(Direction::Up, obligations.skips().at(0));
    obligations.unique();
  };
  // Without a budget the prover proves nothing.
  Problem it = problem(spmspv + "sv");
  prove::Prover prover(it.axioms, 1);
  LevelPlan plan;
  plan.level = it.nest.levels.size() - 1;
  std::vector<LevelPlan> none;
  Obligations obligations(it.nest, plan.level, none, prover, plan);
  ask(obligations);
  ASSERT_EQ(plan.obligations.size(), 2u);
  for (const Obligation &obligation : plan.obligations)
    EXPECT_EQ(counterexample(it.nest, plan.level, obligation, prover), "") << obligation.name;
}

} // namespace
} // namespace unravel::find::test
