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
    {spmspv + "@sv_any", "x", Method::Binary,
     "`x.p` can't be found by binary: O-contig not proved; a counterexample to O-contig: x.idx = [0, 1, 0], "
     "looking for 0: it is at positions 0 and 2 but not at 1 between them"},
    {spmspv + "@sv_once", "x", Method::Binary,
     "`x.p` can't be found by binary: O-stop not proved for any skip condition; a counterexample to "
     "O-stop(up, >): x.idx = [1, 0], looking for 0 after 1: a search upwards stops at position 0 and misses "
     "position 1"},
    {spmspv + "@sv_once", "x", Method::Sequential,
     "`x.p` can't be found by sequential: O-stop not proved for any skip condition; a counterexample to "
     "O-stop(up, >): x.idx = [1, 0], looking for 0 after 1: a search upwards stops at position 0 and misses "
     "position 1"},
    {spmspv + "sv", "x", Method::Direct,
     "`x.p` can't be found by direct: O-direct not proved; a counterexample to O-direct(j): x.idx = [1], "
     "looking for 1: it is at position 0, not at `j`"},
    {spmspv + "@unusual/sv_late", "x", Method::Sequential,
     "`x.p` can't be found by sequential: O-contig not proved; a counterexample to O-contig: x.idx = [1, 0, "
     "1], looking for 1: it is at positions 0 and 2 but not at 1 between them"},
    {spmspv + "@unusual/sv_tail", "x", Method::Binary,
     "`x.p` can't be found by binary: O-contig not proved; a counterexample to O-contig: x.idx = [0, 1, 0], "
     "looking for 0: it is at positions 0 and 2 but not at 1 between them"},
    {spmspv + "@unusual/sv_pairs", "x", Method::Binary,
     "`x.p` can't be found by binary: O-contig not proved; a counterexample to O-contig: x.idx = [0, 1, 0], "
     "looking for 0: it is at positions 0 and 2 but not at 1 between them"},
    {product + "@csr_any", "B", Method::Binary,
     "`B.p` can't be found by binary: O-contig not proved; a counterexample to O-contig: B.col = [0, 1, 0], "
     "looking for 0: it is at positions 0 and 2 but not at 1 between them"},
    {product + "@csr_once", "B", Method::Binary,
     "`B.p` can't be found by binary: O-stop not proved for any skip condition; a counterexample to "
     "O-stop(up, >): B.col = [1, 0], looking for 0 after 1: a search upwards stops at position 0 and misses "
     "position 1"},
    {product + "@csr_even", "B", Method::Sequential,
     "`B.p` can't be found by sequential: O-contig not proved; a counterexample to O-contig: B.rowptr = [0, "
     "0, 3], B.col = [0, 1, 0], looking for 0: it is at positions 0 and 2 but not at 1 between them"},
    {product + "@unusual/csr_tail", "B", Method::Binary,
     "`B.p` can't be found by binary: O-contig not proved; a counterexample to O-contig: B.col = [0, 1, 0], "
     "looking for 0: it is at positions 0 and 2 but not at 1 between them"},
    {product + "@unusual/csr_two_rows", "B", Method::Binary,
     "`B.p` can't be found by binary: O-contig not proved; a counterexample to O-contig: B.col = [0, 1, 0], "
     "looking for 0: it is at positions 0 and 2 but not at 1 between them"},
    {coordinates + "coo_unsorted", "B", Method::Binary,
     "`B.p` can't be found by binary: O-stop not proved for any skip condition; a counterexample to "
     "O-stop(up, > B.row, > B.col): B.row = [0, 0], B.col = [1, 0], looking for (0, 0) after (0, 1): a "
     "search upwards stops at position 0 and misses position 1"},
    {coordinates + "@coo_rows", "B", Method::Binary,
     "`B.p` can't be found by binary: O-contig not proved; a counterexample to O-contig: B.row = [0, 0, 0], "
     "B.col = [0, 1, 0], looking for (0, 0): it is at positions 0 and 2 but not at 1 between them"},
    {coordinates + "coo_dup", "B", Method::Sequential,
     "`B.p` can't be found by sequential: O-contig not proved; a counterexample to O-contig: B.row = [0, 0, "
     "0], B.col = [0, 1, 0], looking for (0, 0): it is at positions 0 and 2 but not at 1 between them"},
    {spmspv + "@tables/gaps", "x", Method::Probe,
     "`x.p` can't be found by probe: O-empty not proved; a counterexample to O-empty(0 <= x.key(x.p)): "
     "x.key = [-1, 0], looking for 0: it is at position 1, after the empty position 0"},
    {product + "@tables/rows_with_gaps", "B", Method::Probe,
     "`B.p` can't be found by probe: O-empty not proved; a counterexample to O-empty(0 <= B.key(i, B.p)): "
     "B.key = [-1, 0] in positions [0, 2), looking for 0: it is at position 1, after the empty position 0"},
    {coordinates + "coo_unsorted", "B", Method::Direct,
     "`B.p` can't be found by direct: O-direct not proved; a counterexample to O-direct(i): B.row = [0, 0], "
     "B.col = [0, 1], looking for (0, 1): it is at position 1, not at `i`"},
};

TEST(Counterexample, Refusals) {
  for (const Refused &each : refused)
    EXPECT_EQ(refusal(each.text, each.name, each.method), each.message) << each.text;
}

/// The row of an entry, of an array that says where rows begin and has no properties.
Problem row_of_entry() {
  Problem it;
  term::Term p = term::variable("p"), r = term::variable("r"), rows = term::variable("M");
  auto begin = [](const term::Term &row) { return term::apply("rowptr", {row}); };
  scan::Level loop{.variable = "p", .lower = 0, .upper = term::variable("NNZ")};
  scan::Level find{.kind = scan::Level::Kind::Find, .variable = "r", .lower = 0, .upper = rows};
  find.components = {{begin(r), p, begin(r + term::Term(1)) - begin(r)}};
  it.nest.levels = {loop, find};
  it.nest.arrays["rowptr"] = {rows + term::Term(1)};
  return it;
}

/// What is said of the obligations that fail for the last find of a nest.
std::string failures(const Problem &it, const std::function<void(Obligations &)> &ask) {
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
  EXPECT_EQ(
      failures(problem(spmspv + "sv"), ask),
      "O-persist(>){}: A.col = [1, 0], x.idx = [0], looking for 1 and later for 0: position 0 is skipped and "
      "then needed\nO-inc{}: A.col = [0, 0], x.idx = [0]: the target 0 comes twice, and a walk that steps "
      "past a match would miss it\n");
  EXPECT_EQ(failures(problem(product + "csr"), ask),
            "O-init(up){}: B.rowptr = [0, 1, 1]: two visits that share the state start at 0 and 1\n");
  EXPECT_EQ(
      failures(problem(product + "@csr_upside_down"), ask),
      "O-init(up){}: B.rowptr = [0, 1, 1]: two visits that share the state start at 1 and 0\nO-clamp(up){}: "
      "B.rowptr = [0, 1, 1]: two visits that share the state start at 1 and 0, further back\n");
  EXPECT_EQ(failures(problem("s = A(i) * B(i)\n-s order A.p, i, B.p\n-f B=sv\n-f A=@sv_weak"), ask),
            "O-inc{}: A.idx = [0, 0], B.idx = [0]: the target 0 comes twice, and a walk that steps past a "
            "match would miss it\n");
  EXPECT_EQ(failures(problem("s = A(i) * B(i)\n-s order A.p, i, B.p\n-f B=sv\n-f A=sv"), ask), std::string());
}

/// Bisection, walking down, matches at all.
TEST(Counterexample, OfSearches) {
  auto ask = [](Obligations &obligations) {
    for (const Skip &skip : obligations.skips()) {
      obligations.partition(Direction::Up, skip);
      obligations.stop(Direction::Down, skip);
    }
    obligations.unique();
  };
  EXPECT_EQ(
      failures(problem(spmspv + "@sv_any"), ask),
      "O-part(up, >): x.idx = [1, 0], looking for 1: with 1 at position 0 and 0 at position 1, a binary "
      "search can't tell which half to search\nO-stop(down, >): x.idx = [0, 1], looking for 0 before 1: a "
      "search "
      "downwards stops at position 1 and misses position 0\nO-part(up, <): x.idx = [0, 1], looking for 0: "
      "with 0 at position 0 and 1 at position 1, a binary search can't tell which half to "
      "search\nO-stop(down, <): x.idx "
      "= [1, 0], looking for 1 before 0: a search downwards stops at position 1 and misses position "
      "0\nO-uniq: x.idx = [0, 0], looking for 0: it is at positions 0 and 1\n");
  EXPECT_EQ(
      failures(row_of_entry(), ask),
      "O-part(up, >): rowptr = [0, 1, 0] in positions [0, 2), looking for 0: with [0, 1) at position 0 "
      "and [1, 0) at position 1, a binary search can't tell which half to search\nO-stop(down, >): rowptr = "
      "[0, 1, "
      "1] in positions [0, 2), looking for 0 before [1, 1): a search downwards stops at position 1 and "
      "misses position 0\nO-part(up, <): rowptr = [0, 1, 0] in positions [0, 2), looking for 0: with "
      "[0, 1) at position 0 and [1, 0) at position 1, a binary search can't tell which half to "
      "search\nO-stop(down, <): rowptr = [0, 1, 0, 0] in positions [0, 3), looking for 0 before [0, 0): a "
      "search downwards stops at position 2 and misses position 0\nO-uniq: rowptr = [0, 1, 0, 1] in "
      "positions [0, 3), looking for 0: it is at positions 0 and 2\n");
}

/// Kinds that have no words of their own.
TEST(Counterexample, OfOtherKinds) {
  auto ask = [](Obligations &obligations) { obligations.direct_matches(term::Term(0)); };
  EXPECT_EQ(failures(problem(spmspv + "sv"), ask),
            "O-match: x.idx = [0]: it fails for i = 0, A.r = 0, y.a = 0, A.p = 0, j = 1\n");
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
