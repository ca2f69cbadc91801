// How often loops are executed, as pictures say it, and what the costs count.
#include "contract/search.h"

#include "contract/networks.h"

#include <cmath>
#include <gtest/gtest.h>

namespace unravel::contract::test {
namespace {

/// The loops around a term are its own, but for those that it shares with what reads its buffer: an element
/// that has all of them as modes is written once, into a register if there is one for it.
bool is_summed(const Network &network, const Forest &forest, std::size_t term, Set around) {
  for (const Buffer &buffer : buffers_of(forest))
    if (buffer.term == term)
      return (around & ~buffer.shared & ~forest.terms[term].target) != 0 ||
             !is_kept_row(network, buffer.shared, buffer.modes);
  return true;
}

/// The operations, from how often each term's innermost loop is executed.
double operations(const Network &network, const Forest &forest, const std::vector<Node> &body,
                  const std::vector<double> &executions, std::size_t &next, double times = 1,
                  Set around = 0) {
  double sum = 0;
  for (const Node &node : body) {
    if (!node.is_loop) {
      const std::size_t multiplied = forest.terms[node.number].operands(network) - 1;
      sum +=
          times * static_cast<double>(multiplied + (is_summed(network, forest, node.number, around) ? 1 : 0));
      continue;
    }
    const double inside = executions.at(next++);
    sum += operations(network, forest, node.body, executions, next, inside, around | bit(node.number));
  }
  return sum;
}

TEST(Executions, GiveTheOperations) {
  std::mt19937_64 random(7);
  SearchOptions options;
  options.plans = 5;
  int forests = 0;
  for (int k = 0; k < 60; ++k) {
    const Network network = random_network(random, 3 + static_cast<std::size_t>(k) % 2);
    std::vector<Plan> plans = search(network, options).plans;
    plans.push_back({as_written(network), 0});
    for (const Plan &plan : plans) {
      const std::vector<double> executions = executions_of(network, plan.forest);
      std::size_t next = 0;
      const double sum = operations(network, plan.forest, plan.forest.roots, executions, next);
      EXPECT_EQ(next, executions.size());
      const double cost = cost_of(network, plan.forest, {Objective::Work});
      EXPECT_NEAR(sum, cost, 1e-9 * cost) << to_text(network, plan.forest);
      ++forests;
    }
  }
  EXPECT_GT(forests, 150);
}

TEST(Executions, FollowFromWhatIsStored) {
  const Network network = network_of("Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)",
                                     {{'i', 50}, {'j', 40}, {'k', 60}, {'r', 16}}, {{"T", {45, 700, 3000}}});
  std::vector<double> rounded;
  for (double each : executions_of(network, as_written(network)))
    rounded.push_back(std::round(each));
  EXPECT_EQ(rounded, (std::vector<double>{45, 700, 3000, 48000}));
}

TEST(Executions, FollowFromWhereEntriesMeet) {
  Network network = network_of("y(i) = A(i,j) * B(j,k) * x(k)", {{'i', 100}, {'j', 100}, {'k', 100}},
                               {{"A", {100, 100}}, {"B", {100, 100}}});
  const auto executions = [&] { return executions_of(network, as_written(network)).back(); };
  EXPECT_NEAR(executions(), 100, 1e-9);
  network.joins.push_back({0, 1, 100}); // a full column of A, a full row of B
  EXPECT_NEAR(executions(), 100 * 100, 1e-6);
  network.joins.back().ratio = 0.01; // one of B's entries lies in a row to which a column of A leads
  EXPECT_NEAR(executions(), 1, 1e-9);
}

} // namespace
} // namespace unravel::contract::test
