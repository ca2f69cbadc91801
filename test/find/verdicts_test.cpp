// What can be proved of each case of docs/find-synthesis, as a table.
#include "find/map.h"
#include "find/walk.h"
#include "per_find.h"
#include "text/contains.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace unravel::find::test {
namespace {

Variables in_nest_order(const Obligations &obligations, const Variables &variables) {
  Variables sorted;
  for (const std::string &name : obligations.outer())
    if (contains(variables, name)) sorted.push_back(name);
  return sorted;
}

/// "up > {i}, clamped {}, ++ y/y", "restart", "none".
std::string walk_verdict(Obligations &obligations, bool unique) {
  std::optional<ProvedWalk> walk = choose_walk(obligations, unique, false);
  if (!walk) return "none";
  if (!walk->profit) return "restart";
  Variables clamped = clamped_state(obligations, *walk);
  auto advance = [&](const Variables &state) { return obligations.advance(state) ? "y" : "n"; };
  return fmt::format("{} {} {}{}, clamped {}, ++ {}/{}", name_of(walk->direction), walk->skip.name,
                     braces(in_nest_order(obligations, walk->state)), unique ? "" : " chain",
                     braces(in_nest_order(obligations, clamped)), advance(walk->state), advance(clamped));
}

/// "u{i} 1": what the segment and its keys depend on, and the level before which a map can be filled first.
/// (The plan has it behind the assignments that follow.)
std::string hash_verdict(Obligations &obligations, LevelPlan &plan) {
  if (!try_hash(obligations, plan).proved) return "-";
  const scan::Level &level = obligations.level();
  std::set<std::string> used = term::variables_of(level.lower);
  used.merge(term::variables_of(level.upper));
  for (const scan::Component &component : level.components)
    used.merge(term::variables_of(component.key));
  return fmt::format("{}{} {}", plan.unique ? "u" : "m",
                     braces(in_nest_order(obligations, {used.begin(), used.end()})), map_level(obligations));
}

/// U, C, SEQ with its clamped state and ++, BIN, HASH; or only that the find is direct.
std::string verdict(Obligations &obligations, LevelPlan &own) {
  if (try_direct(obligations, own).proved) return "D";
  bool adjacent = prove_adjacent(obligations, own);
  std::string walk = adjacent ? walk_verdict(obligations, own.unique) : "none";
  bool binary = try_binary(obligations, own).proved;
  return fmt::format("{} {} | {} | {} | {}", int(own.unique), int(own.contiguous), walk, binary ? "y" : "n",
                     hash_verdict(obligations, own));
}

/// The table of the study, section 5. Beyond it are 2w, 7 let, 7 guard and the cases u1 and on; where it
/// differs is said in docs/find-synthesis.
const std::map<std::string, std::vector<std::string>> table = {
    {"1", {"1 1 | up > {}, clamped {}, ++ y/y | y | u{} 0"}},
    {"1b", {"1 1 | up > {}, clamped {}, ++ n/n | y | u{} 0"}},
    {"2", {"1 1 | down > {}, clamped {}, ++ y/y | y | u{} 0"}},
    {"2b", {"1 1 | up < {}, clamped {}, ++ y/y | y | u{} 0"}},
    {"2w", {"0 1 | restart | y | m{} 0"}},
    {"3", {"1 1 | restart | y | u{} 0"}},
    {"3b", {"1 1 | restart | y | u{} 0"}},
    {"4", {"1 1 | none | n | u{} 0"}},
    {"4b", {"0 0 | none | n | m{} 0"}},
    {"5", {"0 1 | up > {} chain, clamped {}, ++ y/y | y | m{} 0"}},
    {"5b", {"0 1 | up > {} chain, clamped {}, ++ n/n | y | m{} 0"}},
    {"16", {"1 1 | up > {}, clamped {}, ++ y/y | y | u{} 0"}},
    {"11", {"1 1 | down > {}, clamped {}, ++ y/y | y | u{} 0", "1 1 | none | n | u{} 0"}},
    {"19", {"vacuous"}},
    {"21", {"D"}},
    {"6", {"1 1 | up > {i}, clamped {i}, ++ y/y | y | u{} 0"}},
    {"6b", {"1 1 | up > {i}, clamped {}, ++ y/y | y | u{i} 1"}},
    {"7", {"D", "1 1 | up > {i}, clamped {}, ++ y/y | y | u{B.r} 1"}},
    {"7 let", {"1 1 | up > {i}, clamped {}, ++ y/y | y | u{B.r} 1"}},
    {"7 guard", {"1 1 | up > {i}, clamped {}, ++ y/y | y | u{B.r} 4"}},
    {"8a", {"D", "1 1 | up > {i}, clamped {}, ++ y/y | y | u{B.r} 4"}},
    {"8b", {"1 1 | up > B.row, > B.col {}, clamped {}, ++ y/y | y | u{} 0"}},
    {"8c", {"1 1 | up > B.row, > B.col {}, clamped {}, ++ y/y | y | u{} 0"}},
    {"8d",
     {"0 1 | up > {} chain, clamped {}, ++ y/y | y | m{} 0",
      "1 1 | up > {i}, clamped {}, ++ y/y | y | u{i} 1"}},
    {"8e", {"D", "1 1 | restart | y | u{B.r} 4"}},
    {"8f", {"0 1 | up > B.row, > B.col {} chain, clamped {}, ++ y/y | y | m{} 0"}},
    {"8g", {"0 0 | none | n | m{} 0"}},
    {"9a", {"D", "1 1 | up > {i}, clamped {}, ++ y/y | y | u{B.r} 5"}},
    {"9b",
     {"1 1 | up > {}, clamped {}, ++ y/y | y | u{} 0",
      "1 1 | up > {B.r}, clamped {}, ++ y/y | y | u{B.r} 2"}},
    {"9c",
     {"1 1 | up > {}, clamped {}, ++ y/y | y | u{} 0",
      "1 1 | up > {B.r}, clamped {}, ++ y/y | y | u{B.r} 3"}},
    {"12", {"1 1 | up > {i, j}, clamped {i}, ++ y/y | y | u{j} 2"}},
    {"12b", {"1 1 | up > {i, j}, clamped {i, j}, ++ y/y | y | u{j} 4"}},
    {"17", {"0 0 | none | n | m{i} 1"}},
    {"17b", {"D", "D", "1 1 | up > {h}, clamped {}, ++ y/y | y | u{B.r} 4"}},
    {"18", {"D", "0 1 | up > {i} chain, clamped {}, ++ n/n | y | m{B.r} 1"}},
    {"20", {"1 1 | restart | y | u{i} 1"}},
    {"22", {"D", "1 1 | down > {i}, clamped {i}, ++ y/y | y | u{B.r} 1"}},
    {"10a", {"D", "1 1 | up > {i}, clamped {i}, ++ n/n | y | u{B.b} 4"}},
    {"10b", {"D", "1 1 | up > {B.b, B.ii}, clamped {B.ii}, ++ y/y | y | u{A.r} 7"}},
    {"10c", {"D", "1 1 | up > {i}, clamped {i}, ++ n/n | y | u{B.b} 4"}},
    {"10d", {"1 1 | up > A.row, > A.col {B.p}, clamped {B.p}, ++ y/y | y | u{} 0"}},
    {"10e", {"D", "1 1 | up > {i}, clamped {i}, ++ n/n | y | -"}},
    {"14", {"1 1 | up > {i}, clamped {i}, ++ y/y | y | u{} 0"}},
    {"14b", {"1 1 | up > {i}, clamped {i}, ++ y/y | y | u{i} 2"}},
    {"15", {"D", "1 1 | up > {i}, clamped {i}, ++ y/y | y | u{E.r} 4"}},
    {"15b", {"D", "1 1 | up > {i}, clamped {i}, ++ y/y | n | u{E.r} 4"}},
    {"13",
     {"1 1 | up > {}, clamped {}, ++ y/y | y | u{} 0",
      "1 1 | up > {B.q0}, clamped {}, ++ y/y | y | u{B.q0} 3",
      "1 1 | up > {B.q1}, clamped {}, ++ y/y | y | u{B.q1} 6"}},
    {"u1", {"1 1 | up > {}, clamped {}, ++ y/y | y | u{} 0"}},
    {"u2", {"0 0 | none | n | m{} 0"}},
    {"u3", {"1 1 | up > {}, clamped {}, ++ y/y | y | u{} 0"}},
    {"u4", {"1 1 | up > {}, clamped {}, ++ y/y | y | u{} 0"}},
    {"u5", {"0 1 | none | n | m{} 0"}},
    {"u6", {"1 1 | none | n | u{} 0"}},
    {"u7", {"1 1 | none | n | u{} 0"}},
    {"u8", {"1 1 | up > {}, clamped {}, ++ y/y | y | u{} 0"}},
    {"u9", {"1 1 | up > {h}, clamped {}, ++ y/y | y | u{h} 1"}},
    {"u10", {"0 0 | none | n | m{i} 1"}},
    {"u11", {"0 0 | none | n | m{h} 1"}},
    {"u12", {"0 0 | none | n | m{i} 1"}},
    {"u13", {"1 1 | up > {i}, clamped {}, ++ y/y | y | u{i} 1"}},
    {"u14", {"D", "1 1 | up > {i}, clamped {i}, ++ y/y | y | u{B.r} 4"}},
    {"u15", {"D", "1 1 | down > {i}, clamped {}, ++ y/y | y | u{B.r} 4"}},
    {"u16", {"1 1 | up > {i}, clamped {i}, ++ y/y | y | u{i} 1"}},
    {"u17", {"1 1 | up > {}, clamped {}, ++ y/y | y | u{} 0"}},
    {"u18", {"0 0 | none | n | m{} 0"}},
    {"u19", {"1 1 | up > {}, clamped {}, ++ n/n | y | -"}},
    {"u20", {"D", "1 1 | down > {i}, clamped {}, ++ y/y | y | u{B.r} 4"}},
};

TEST(FindVerdicts, are_those_of_the_study) {
  EXPECT_EQ(table.size(), all_cases().size());
  for (const Case &each : all_cases()) {
    ASSERT_TRUE(table.count(each.name)) << "case " << each.name;
    EXPECT_EQ(per_find(each, verdict), table.at(each.name)) << "case " << each.name;
  }
}

/// What is decided without Z3 is what Z3 says: every question of every case.
TEST(FindCases, answers_are_those_of_z3) {
  std::size_t asked = 0;
  for (const Case &each : all_cases()) {
    prove::Prover prover(each.axioms);
    plan_finds(each.nest, prover);
    for (std::size_t k = 0; k < prover.log().size(); ++k) {
      const prove::Question question = prover.log()[k];
      prove::Answer answer = prover.ask_z3(k);
      if (answer == prove::Answer::Unknown || question.answer == prove::Answer::Unknown) continue;
      EXPECT_EQ(answer, question.answer) << each.name << " " << question.name << " of " << question.about;
      ++asked;
    }
  }
  EXPECT_GT(asked, 500u);
}

} // namespace
} // namespace unravel::find::test
