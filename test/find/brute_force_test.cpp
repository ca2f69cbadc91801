// Every plan is executed on small arrays that have the stated properties and compared with nested loops over
// the nest: same instances in the same order, no read outside a segment.
#include "cases.h"
#include "executor.h"
#include "report/diagnostic.h"

#include <gtest/gtest.h>

namespace unravel::find::test {
namespace {

using Plans = std::vector<std::pair<std::string, FindPlan>>;

/// The automatic plan, and those that a request for every find gives.
Plans plans_of(const Case &each) {
  Plans plans;
  prove::Prover prover(each.axioms);
  plans.emplace_back("automatic", plan_finds(each.nest, prover));
  for (Method method : {Method::Sequential, Method::Galloping, Method::Binary, Method::Hash, Method::Scan})
    for (const LevelPlan &level : plans[0].second.levels) {
      const std::string &variable = each.nest.levels[level.level].variable;
      try {
        plans.emplace_back(variable + " " + name_of(method),
                           plan_finds(each.nest, prover, {{variable, method}}));
      } catch (const report::Error &) {
        // Not proved here.
      }
    }
  return plans;
}

/// Whether a plan does the same as scans.
bool is_right(const scan::Nest &nest, const World &world, const std::vector<LevelPlan> &plans) {
  Executor executor(nest, world);
  std::vector<std::vector<std::int64_t>> expected = executor.run({});
  try {
    return executor.run(plans) == expected;
  } catch (const OutOfRange &) {
    return false;
  }
}

TEST(FindBruteForce, random_arrays) {
  const int worlds = 150;
  for (const Case &each : all_cases()) {
    if (!each.generate) continue;
    Plans plans = plans_of(each);
    Random random(7);
    std::size_t instances = 0;
    for (int k = 0; k < worlds; ++k) {
      World world;
      each.generate(random, world);
      if (k < 20) {
        for (const prove::Axiom &axiom : each.axioms)
          ASSERT_TRUE(satisfies(world, axiom)) << "case " << each.name << ": " << axiom.text;
      }
      instances += Executor(each.nest, world).run({}).size();
      for (const auto &[name, plan] : plans)
        ASSERT_TRUE(is_right(each.nest, world, plan.levels)) << "case " << each.name << ", " << name;
    }
    EXPECT_GT(instances, 0u) << "case " << each.name << " never has an instance";
  }
}

/// All vectors of up to `longest` entries with values below `range`.
std::vector<std::vector<std::int64_t>> all_vectors(int longest, int range) {
  std::vector<std::vector<std::int64_t>> all{{}};
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (static_cast<int>(all[k].size()) == longest) break;
    for (int value = 0; value < range; ++value) {
      all.push_back(all[k]);
      all.back().push_back(value);
    }
  }
  return all;
}

void set_vector(World &world, const std::string &tensor, const std::vector<std::int64_t> &idx) {
  world.arrays[tensor + ".idx"] = idx;
  world.variables[tensor + ".len"] = static_cast<std::int64_t>(idx.size());
}

bool satisfies_all(const World &world, const std::vector<prove::Axiom> &axioms) {
  return std::all_of(axioms.begin(), axioms.end(),
                     [&](const auto &axiom) { return satisfies(world, axiom); });
}

TEST(FindBruteForce, all_small_vectors) {
  auto vectors = all_vectors(3, 3);
  for (const char *name : {"1", "1b", "2", "2b", "2w", "3", "3b", "4", "4b", "5", "5b", "16", "21"}) {
    const Case &each = case_named(name);
    Plans plans = plans_of(each);
    int tried = 0;
    for (const auto &a : vectors)
      for (const auto &b : vectors) {
        World world;
        set_vector(world, "A", a);
        set_vector(world, "B", b);
        if (!satisfies_all(world, each.axioms)) continue;
        ++tried;
        for (const auto &[plan_name, plan] : plans)
          ASSERT_TRUE(is_right(each.nest, world, plan.levels)) << "case " << name << ", " << plan_name;
      }
    EXPECT_GT(tried, 20) << "case " << name;
  }
}

TEST(FindBruteForce, all_small_matrices_with_vectors) {
  auto vectors = all_vectors(2, 3);
  auto columns = all_vectors(3, 3);
  for (const char *name : {"6", "6b"}) {
    const Case &each = case_named(name);
    Plans plans = plans_of(each);
    int tried = 0;
    for (const auto &col : columns)
      for (std::size_t split = 0; split <= col.size(); ++split)
        for (const auto &b : vectors) {
          World world;
          set_vector(world, "b", b);
          world.variables["A.N"] = 2;
          world.variables["A.nnz"] = static_cast<std::int64_t>(col.size());
          world.arrays["A.rowptr"] = {0, static_cast<std::int64_t>(split),
                                      static_cast<std::int64_t>(col.size())};
          world.arrays["A.col"] = col;
          if (!satisfies_all(world, each.axioms)) continue;
          ++tried;
          for (const auto &[plan_name, plan] : plans)
            ASSERT_TRUE(is_right(each.nest, world, plan.levels)) << "case " << name << ", " << plan_name;
        }
    EXPECT_GT(tried, 100) << "case " << name;
  }
}

// ---- plausible plans that are wrong: what the obligations are there to refuse

/// Whether some random world shows that the changed automatic plan is wrong.
bool is_refuted(const std::string &name, const std::function<void(std::vector<LevelPlan> &)> &change) {
  const Case &each = case_named(name);
  prove::Prover prover(each.axioms);
  std::vector<LevelPlan> plans = plan_finds(each.nest, prover).levels;
  change(plans);
  Random random(3);
  for (int k = 0; k < 3000; ++k) {
    World world;
    each.generate(random, world);
    if (!is_right(each.nest, world, plans)) return true;
  }
  return false;
}

TEST(FindTraps, nothing_is_refuted_unchanged) {
  for (const char *name : {"1b", "7", "18", "22"})
    EXPECT_FALSE(is_refuted(name, [](auto &) {})) << name;
}

/// Read literally, "targets obey the property of the array" holds vacuously across rows and would drop the
/// row from the state.
TEST(FindTraps, one_state_for_all_rows_needs_a_clamp) {
  auto drop_all = [](std::vector<LevelPlan> &plans) {
    plans.back().state.clear();
    plans.back().state_level = 0;
    plans.back().start = 0;
  };
  EXPECT_TRUE(is_refuted("7", drop_all));
  EXPECT_TRUE(is_refuted("9a", [&](std::vector<LevelPlan> &plans) {
    drop_all(plans);
    plans.back().clamp = false;
  }));
  EXPECT_FALSE(is_refuted("7", [&](std::vector<LevelPlan> &plans) {
    drop_all(plans);
    plans.back().clamp = true;
  }));
}

TEST(FindTraps, stepping_past_a_match_needs_a_proof) {
  for (const char *name : {"1b", "5b", "18", "10a", "10e"})
    EXPECT_TRUE(is_refuted(name, [](std::vector<LevelPlan> &plans) {
      ASSERT_FALSE(plans.back().advance);
      plans.back().advance = true;
    })) << name;
}

TEST(FindTraps, a_state_shared_by_a_whole_vector_for_all_rows) {
  EXPECT_TRUE(is_refuted("6", [](std::vector<LevelPlan> &plans) {
    plans.back().state.clear();
    plans.back().state_level = 0;
  }));
}

TEST(FindTraps, wrong_direction_or_sign) {
  EXPECT_TRUE(is_refuted("1", [](std::vector<LevelPlan> &plans) {
    plans[0].skip = term::less(term::variable("i"), term::apply("B.idx", {term::variable("B.p")}));
  }));
  EXPECT_TRUE(is_refuted("2", [](std::vector<LevelPlan> &plans) {
    plans[0].direction = Direction::Up;
    plans[0].start = 0;
  }));
}

TEST(FindTraps, uniqueness_is_not_guessed) {
  for (const char *name : {"5", "5b", "8d", "8f", "18"})
    EXPECT_TRUE(is_refuted(name, [](std::vector<LevelPlan> &plans) {
      LevelPlan &plan = plans[0].unique ? plans.back() : plans[0];
      ASSERT_FALSE(plan.unique);
      plan.unique = true;
    })) << name;
}

TEST(FindTraps, binary_search_in_padded_rows) {
  // Sequential iteration is proved there, binary search isn't, and is wrong.
  EXPECT_TRUE(is_refuted("15b", [](std::vector<LevelPlan> &plans) {
    ASSERT_EQ(plans.back().method, Method::Sequential);
    plans.back().method = Method::Binary;
  }));
}

TEST(FindTraps, tests_of_direct_finds) {
  EXPECT_TRUE(is_refuted("7 guard", [](std::vector<LevelPlan> &plans) { plans.back().clamp = false; }));
  EXPECT_TRUE(is_refuted("21", [](std::vector<LevelPlan> &plans) {
    ASSERT_TRUE(plans[0].check_bounds);
    ASSERT_FALSE(plans[0].check_match);
    plans[0].check_bounds = false;
  }));
}

} // namespace
} // namespace unravel::find::test
