// Every plan is executed on small arrays that have the stated properties and compared with nested loops over
// the nest: same instances in the same order, no read outside a segment.
#include "report/diagnostic.h"
#include "right.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace unravel::find::test {
namespace {

using Plans = std::vector<std::pair<std::string, FindPlan>>;

/// The automatic plan, and those that a request for every find gives.
Plans plans_of(const Case &each) {
  Plans plans;
  prove::Prover prover(each.axioms);
  plans.emplace_back("automatic", plan_finds(each.nest, prover));
  for (Method method :
       {Method::Sequential, Method::Galloping, Method::Binary, Method::Map, Method::Hash, Method::Scan})
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

/// Every combination of methods that is proved for all finds together, for kernels with at most so many;
/// else every so-manieth.
Plans combinations_of(const Case &each, std::size_t most) {
  prove::Prover prover(each.axioms);
  std::vector<std::string> finds;
  for (const scan::Level &level : each.nest.levels)
    if (level.kind == scan::Level::Kind::Find) finds.push_back(level.variable);
  const std::vector<Method> methods{Method::Direct, Method::Sequential, Method::Galloping, Method::Binary,
                                    Method::Map,    Method::Hash,       Method::Scan};
  std::size_t count = 1;
  for (std::size_t k = 0; k < finds.size(); ++k)
    count *= methods.size();
  Plans plans;
  // A step without a common factor with the number of methods passes all of them.
  std::size_t step = count <= most ? 1 : count / most;
  while (step % methods.size() == 0)
    ++step;
  for (std::size_t number = 0; number < count; number += step) {
    Requests requests;
    std::string name;
    std::size_t rest = number;
    for (const std::string &find : finds) {
      Method method = methods[rest % methods.size()];
      requests.emplace(find, method);
      name += find + " " + name_of(method) + " ";
      rest /= methods.size();
    }
    try {
      plans.emplace_back(name, plan_finds(each.nest, prover, requests));
    } catch (const report::Error &) {
      // One of them is not proved.
    }
  }
  return plans;
}

TEST(FindBruteForce, all_finds_of_a_kernel_together) {
  const bool everything = std::getenv("UNRAVEL_TEST_ALL") != nullptr;
  std::size_t combinations = 0;
  for (const Case &each : all_cases()) {
    if (!each.generate) continue;
    for (const auto &[name, plan] : combinations_of(each, everything ? 1000 : 40)) {
      ++combinations;
      EXPECT_TRUE(is_right(each, plan.levels, everything ? 500 : 60)) << "case " << each.name << ", " << name;
    }
  }
  EXPECT_GT(combinations, 300u);
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

} // namespace
} // namespace unravel::find::test
