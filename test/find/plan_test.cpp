// What is chosen for the cases of docs/find-synthesis; requests and their refusals.
#include "cases.h"
#include "report/diagnostic.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace unravel::find::test {
namespace {

/// Per find, outermost first: the automatic plan, and whether binary search is proved too.
const std::vector<std::pair<std::string, std::vector<std::string>>> verdicts = {
    {"1", {"U1 C1 up > {} at 0 ++; bin"}},
    {"1b", {"U1 C1 up > {} at 0; bin"}},
    {"2", {"U1 C1 down > {} at 0 ++; bin"}},
    {"2b", {"U1 C1 up < {} at 0 ++; bin"}},
    {"2w", {"U0 C1 binary (restart: all visits that share the state {i} have the same target); bin"}},
    {"3", {"U1 C1 binary (restart: all visits that share the state {i} have the same target); bin"}},
    {"3b", {"U1 C1 binary (restart: all visits that share the state {i} have the same target); bin"}},
    {"4", {"U1 C1 hash; no bin"}},
    {"4b", {"U0 C0 hash; no bin"}},
    {"5", {"U0 C1 up > {} at 0 ++; bin"}},
    {"5b", {"U0 C1 up > {} at 0; bin"}},
    {"16", {"U1 C1 up > {} at 0 ++; bin"}},
    {"11", {"U1 C1 down > {} at 0 ++; bin", "U1 C1 hash; no bin"}},
    {"19", {"U0 C0 scan; no bin"}},
    {"21", {"U1 C1 direct +bounds"}},
    {"6", {"U1 C1 binary (binary costs less); bin"}},
    {"6b", {"U1 C1 up > {i} at 1 ++; bin"}},
    {"7", {"U1 C1 direct", "U1 C1 up > {i} at 1 ++; bin"}},
    {"7 let", {"U1 C1 up > {i} at 1 ++; bin"}},
    {"7 guard", {"U1 C1 up > {i} at 1 clamped ++; bin"}},
    {"8a", {"U1 C1 direct +bounds", "U1 C1 up > {} at 0 clamped ++; bin"}},
    {"8b", {"U1 C1 up > B.row, > B.col {} at 0 ++; bin"}},
    {"8c", {"U1 C1 up > B.row, > B.col {} at 0 ++; bin"}},
    {"8d", {"U0 C1 up > {} at 0 ++; bin", "U1 C1 up > {i} at 1 ++; bin"}},
    {"8e",
     {"U1 C1 direct +bounds",
      "U1 C1 binary (restart: all visits that share the state {A.p} have the same target); bin"}},
    {"8f", {"U0 C1 up > B.row, > B.col {} at 0 ++; bin"}},
    {"8g", {"U0 C0 hash; no bin"}},
    {"9a", {"U1 C1 direct +bounds", "U1 C1 up > {i} at 2 clamped ++; bin"}},
    {"9b", {"U1 C1 up > {} at 0 ++; bin", "U1 C1 up > {B.r} at 2 ++; bin"}},
    {"9c", {"U1 C1 up > {} at 0 ++; bin", "U1 C1 up > {B.r} at 3 ++; bin"}},
    {"12", {"U1 C1 up > {i, j} at 2 ++; bin"}},
    {"12b", {"U1 C1 binary (the state would need an array over {i, j}); bin"}},
    {"17", {"U0 C0 hash; no bin"}},
    {"17b", {"U1 C1 direct +bounds", "U1 C1 direct +bounds", "U1 C1 up > {h} at 4 ++; bin"}},
    {"18", {"U1 C1 direct", "U0 C1 up > {i} at 1; bin"}},
    {"20", {"U1 C1 binary (restart: all visits that share the state {i} have the same target); bin"}},
    {"22", {"U1 C1 direct", "U1 C1 down > {i} at 1 ++; bin"}},
    {"10a", {"U1 C1 direct +bounds", "U1 C1 up > {i} at 1 clamped; bin"}},
    {"10b", {"U1 C1 direct +bounds", "U1 C1 binary (the state would need an array over {B.b, B.ii}); bin"}},
    {"10c", {"U1 C1 direct +bounds", "U1 C1 binary (the state would need an array over {i}); bin"}},
    {"10d", {"U1 C1 binary (the state {B.p} serves only a fixed number of targets); bin"}},
    {"10e", {"U1 C1 direct +bounds", "U1 C1 up > {i} at 1 clamped; bin"}},
    {"14", {"U1 C1 binary (binary costs less); bin"}},
    {"14b", {"U1 C1 binary (the state would need an array over {i}); bin"}},
    {"15", {"U1 C1 direct +bounds", "U1 C1 up > {i} at 1 ++; bin"}},
    {"15b", {"U1 C1 direct +bounds", "U1 C1 up > {i} at 1 ++; no bin"}},
    {"13",
     {"U1 C1 up > {} at 0 ++; bin", "U1 C1 up > {B.q0} at 3 ++; bin", "U1 C1 up > {B.q1} at 6 ++; bin"}},
    {"u1", {"U1 C1 up > {} at 0 ++; bin"}},
    {"u2", {"U0 C0 hash; no bin"}},
    {"u3", {"U1 C1 up > {} at 0 ++; bin"}},
    {"u4", {"U1 C1 up > {} at 0 ++; bin"}},
    {"u5", {"U0 C1 hash; no bin"}},
    {"u6", {"U1 C1 hash; no bin"}},
    {"u7", {"U1 C1 map; no bin"}},
    {"u8", {"U1 C1 up > {} at 0 ++; bin"}},
    {"u9", {"U1 C1 up > {h} at 1 ++; bin"}},
    {"u10", {"U0 C0 hash; no bin"}},
    {"u11", {"U0 C0 hash; no bin"}},
    {"u12", {"U0 C0 hash; no bin"}},
    {"u13", {"U1 C1 up > {i} at 1 ++; bin"}},
    {"u14", {"U1 C1 direct +bounds", "U1 C1 up > {i} at 1 clamped ++; bin"}},
    {"u15", {"U1 C1 direct +bounds", "U1 C1 down > {} at 0 clamped ++; bin"}},
    {"u16", {"U1 C1 up > {i} at 1 ++; bin"}},
    {"u17", {"U1 C1 up > {} at 0 ++; bin"}},
    {"u18", {"U0 C0 hash; no bin"}},
    {"u19", {"U1 C1 up > {} at 0; bin"}},
    {"u20", {"U1 C1 direct +bounds", "U1 C1 down > {} at 0 clamped ++; bin"}},
};

bool binary_is_proved(const Case &each, const std::string &variable) {
  prove::Prover prover(each.axioms);
  try {
    plan_finds(each.nest, prover, {{variable, Method::Binary}});
    return true;
  } catch (const report::Error &error) {
    EXPECT_EQ(report::name_of(error.diagnostic().kind), "find-not-proved");
    return false;
  }
}

std::vector<std::string> verdict_of(const Case &each) {
  prove::Prover prover(each.axioms);
  FindPlan plan = plan_finds(each.nest, prover);
  std::vector<std::string> lines;
  for (const LevelPlan &level : plan.levels) {
    std::string line = summary(level);
    if (!level.as<plan::Direct>())
      line += binary_is_proved(each, each.nest.levels[level.level].variable) ? "; bin" : "; no bin";
    lines.push_back(line);
  }
  return lines;
}

TEST(FindPlan, verdicts) {
  ASSERT_EQ(verdicts.size(), all_cases().size());
  for (const auto &[name, expected] : verdicts)
    EXPECT_EQ(verdict_of(case_named(name)), expected) << "case " << name;
}

TEST(FindPlan, no_find_no_plan) {
  prove::Prover prover({});
  scan::Nest nest = case_named("1").nest;
  nest.levels.pop_back();
  FindPlan plan = plan_finds(nest, prover);
  EXPECT_TRUE(plan.levels.empty());
  EXPECT_FALSE(plan.vacuous);
  EXPECT_TRUE(prover.log().empty());
  EXPECT_EQ(to_text(plan, nest), "");
}

TEST(FindPlan, contradiction_proves_nothing) {
  const Case &each = case_named("19");
  prove::Prover prover(each.axioms);
  FindPlan plan = plan_finds(each.nest, prover);
  EXPECT_TRUE(plan.vacuous);
  ASSERT_EQ(plan.levels.size(), 1u);
  EXPECT_EQ(plan.levels[0].method(), Method::Scan);
  EXPECT_FALSE(plan.levels[0].unique);
}

TEST(FindPlan, exhausted_budget_falls_back_to_scan) {
  const Case &each = case_named("6");
  prove::Prover prover(each.axioms, 100);
  FindPlan plan = plan_finds(each.nest, prover);
  EXPECT_FALSE(plan.vacuous);
  EXPECT_EQ(plan.levels.at(0).method(), Method::Scan);
  EXPECT_EQ(plan.levels[0].candidates.back().reason,
            "it could not be decided whether the properties contradict each other");
}

// ---- requests

report::Diagnostic refusal(const std::string &name, const Requests &requests) {
  const Case &each = case_named(name);
  prove::Prover prover(each.axioms);
  try {
    plan_finds(each.nest, prover, requests);
  } catch (const report::Error &error) {
    return error.diagnostic();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

Method chosen(const std::string &name, const std::string &variable, const Requests &requests) {
  const Case &each = case_named(name);
  prove::Prover prover(each.axioms);
  FindPlan plan = plan_finds(each.nest, prover, requests);
  for (const LevelPlan &level : plan.levels)
    if (each.nest.levels[level.level].variable == variable) return level.method();
  throw std::logic_error("no find of " + variable);
}

TEST(FindRequest, by_variable_or_tensor) {
  EXPECT_EQ(chosen("7", "B.p", {{"B.p", Method::Binary}}), Method::Binary);
  EXPECT_EQ(chosen("7", "B.p", {{"B", Method::Binary}}), Method::Binary);
  // A tensor's outer direct finds stay; asked for by variable they don't.
  EXPECT_EQ(chosen("7", "B.r", {{"B", Method::Binary}}), Method::Direct);
  EXPECT_EQ(chosen("7", "B.r", {{"B.r", Method::Binary}}), Method::Binary);
  EXPECT_EQ(chosen("7", "B.r", {{"B.r", Method::Scan}}), Method::Scan);
  EXPECT_EQ(chosen("1", "B.p", {{"B.p", Method::Scan}}), Method::Scan);
  // The variable's request goes before the tensor's.
  EXPECT_EQ(chosen("7", "B.p", {{"B", Method::Scan}, {"B.p", Method::Binary}}), Method::Binary);
}

/// Where a state needs an array it is no choice of the planner's, but one may ask for it.
TEST(FindRequest, states_in_arrays) {
  for (const std::string name : {"10b", "12b", "14b"}) {
    const Case &each = case_named(name);
    const std::string &variable = each.nest.levels.back().variable;
    for (Method method : {Method::Sequential, Method::Galloping})
      EXPECT_EQ(chosen(name, variable, {{variable, method}}), method) << name;
  }
}

/// From the data: many targets for each state, and not too long a walk.
TEST(FindPlan, states_in_arrays_where_the_data_say_so) {
  auto method = [](const char *name, const Lengths &lengths) {
    prove::Prover prover(case_named(name).axioms);
    return plan_finds(case_named(name).nest, prover, {}, lengths).levels.back().method();
  };
  EXPECT_EQ(method("12b", {{"A.p", 20}, {"j", 1000}, {"B.p", 20}}), Method::Sequential);
  EXPECT_EQ(method("12b", {{"A.p", 2}, {"j", 1000}, {"B.p", 1000}}), Method::Binary);
  EXPECT_EQ(method("12b", {}), Method::Binary);
  // Not each round runs over all slots.
  EXPECT_EQ(method("10c", {{"p", 1000}, {"A.p", 1000}, {"B.p", 5}}), Method::Binary);
}

TEST(FindRequest, restart_is_allowed_when_asked_for) {
  EXPECT_EQ(chosen("20", "A.p", {}), Method::Binary);
  EXPECT_EQ(chosen("20", "A.p", {{"A.p", Method::Binary}}), Method::Binary);
  EXPECT_EQ(chosen("10d", "A.p", {{"A.p", Method::Sequential}}), Method::Sequential);
}

/// These nests say nothing of the extents of their arrays: no examples (see counterexample_test.cpp).
TEST(FindRequest, refusals) {
  report::Diagnostic found = refusal("4", {{"B.p", Method::Binary}});
  EXPECT_EQ(report::name_of(found.kind), "find-not-proved");
  EXPECT_EQ(found.message, "`B.p` can't be found by binary: O-stop not proved for any skip condition; "
                           "no small counterexample was found");
  EXPECT_EQ(found.hint, "O-stop asks that where a search stops without a match, no match follows; leave the "
                        "method to the compiler, or state `property increasing idx` in the layout of `B`");
  EXPECT_EQ(refusal("15b", {{"E.s", Method::Binary}}).message,
            "`E.s` can't be found by binary: O-part not proved; no small counterexample was found");
  EXPECT_EQ(refusal("8g", {{"B", Method::Sequential}}).message,
            "`B.p` can't be found by sequential: O-contig not proved; no small counterexample was found");
  EXPECT_EQ(refusal("1", {{"B.p", Method::Direct}}).message,
            "`B.p` can't be found by direct: O-direct not proved; no small counterexample was found");
  EXPECT_EQ(
      refusal("19", {{"B.p", Method::Binary}}).message,
      "`B.p` can't be found by binary: the properties contradict each other here, or nothing can match");

  EXPECT_EQ(refusal("15b", {{"E.s", Method::Galloping}}).message,
            "`E.s` can't be found by galloping: O-stop and O-part not proved for any skip condition; "
            "no small counterexample was found");
  EXPECT_EQ(refusal("10e", {{"B.p", Method::Hash}}).message,
            "`B.p` can't be found by hash: O-block not proved; no small counterexample was found");
  EXPECT_EQ(refusal("7", {{"B.r", Method::Hash}}).message,
            "`B.r` can't be found by hash: no key is read from an array at the position");
  EXPECT_EQ(refusal("1", {{"B.p", Method::Map}}).message,
            "`B.p` can't be found by map: no property says how far the keys range");
  EXPECT_EQ(refusal("8b", {{"B.p", Method::Map}}).message,
            "`B.p` can't be found by map: a map needs a single key that equals the target");
  EXPECT_EQ(refusal("10a", {{"B.p", Method::Map}}).message,
            "`B.p` can't be found by map: a map needs a single key that equals the target");

  found = refusal("7", {{"A.p", Method::Binary}});
  EXPECT_EQ(report::name_of(found.kind), "no-such-find");
  EXPECT_EQ(found.message, "nothing has to be found for `A.p`");
  EXPECT_EQ(found.hint, "finds are `B.r`, `B`, `B.p`");
}

// ---- every question can be exported, and z3 the program agrees

TEST(FindPlan, questions_are_confirmed_by_the_z3_program) {
  if (std::system("z3 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "the z3 program is not installed";
  std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("unravel_find_" + std::to_string(getpid()) + ".smt2");
  std::string script, expected;
  for (const std::string name : {"1", "7", "8b", "10a", "22"}) {
    prove::Prover prover(case_named(name).axioms);
    plan_finds(case_named(name).nest, prover);
    for (std::size_t k = 0; k < prover.log().size(); ++k) {
      script += prover.smtlib(k) + "(reset)\n";
      expected += prover.log()[k].answer == prove::Answer::Refuted ? "unsat\n" : "sat\n";
    }
  }
  std::ofstream(file) << script;
  FILE *pipe = popen(("z3 " + file.string()).c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string answers;
  char line[256];
  while (fgets(line, sizeof line, pipe))
    answers += line;
  pclose(pipe);
  std::filesystem::remove(file);
  EXPECT_EQ(answers, expected);
}

} // namespace
} // namespace unravel::find::test
