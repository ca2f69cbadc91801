// The search finds what all forests of small products have as their least costs, and finds it soon.
#include "contract/search.h"

#include "contract/enumerate.h"
#include "contract/networks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <set>

namespace unravel::contract::test {
namespace {

const std::vector<Objective> objectives = {Objective::Time, Objective::Work, Objective::Dimension,
                                           Objective::Size, Objective::Misses};

Network mttkrp3() {
  return network_of("Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)", {{'i', 50}, {'j', 40}, {'k', 60}, {'r', 16}},
                    {{"T", {45, 700, 3000}}});
}
Network mttkrp4() {
  return network_of("Y(i,r) = T(i,j,k,l) * U(j,r) * V(k,r) * W(l,r)",
                    {{'i', 50}, {'j', 40}, {'k', 60}, {'l', 30}, {'r', 16}}, {{"T", {45, 700, 3000, 9000}}});
}
Network mttkrp5() {
  return network_of("Y(i,r) = T(i,j,k,l,m) * U(j,r) * V(k,r) * W(l,r) * X(m,r)",
                    {{'i', 50}, {'j', 40}, {'k', 60}, {'l', 30}, {'m', 20}, {'r', 16}},
                    {{"T", {45, 700, 3000, 9000, 20000}}});
}
Network ttmc3() {
  return network_of("Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)",
                    {{'i', 50}, {'j', 40}, {'k', 60}, {'r', 16}, {'s', 8}}, {{"T", {45, 700, 3000}}});
}
Network ttmc4() {
  return network_of("Y(i,r,s,t) = T(i,j,k,l) * U(j,r) * V(k,s) * W(l,t)",
                    {{'i', 50}, {'j', 40}, {'k', 60}, {'l', 30}, {'r', 16}, {'s', 8}, {'t', 4}},
                    {{"T", {45, 700, 3000, 9000}}});
}
Network tttp3() {
  return network_of("Y(i,j,k) = T(i,j,k) * U(i,r) * V(j,r) * W(k,r)",
                    {{'i', 50}, {'j', 40}, {'k', 60}, {'r', 16}}, {{"T", {45, 700, 3000}}});
}
Network attention() {
  return network_of("Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * V(j,r)",
                    {{'i', 500}, {'j', 400}, {'k', 16}, {'r', 32}}, {{"S", {450, 3000}}});
}
Network chain3() {
  return network_of("y(i) = A(i,j) * B(j,k) * x(k)", {{'i', 500}, {'j', 400}, {'k', 300}},
                    {{"A", {500, 3000}}, {"B", {400, 2500}}});
}
Network chain4() {
  return network_of("y(i) = A(i,j) * B(j,k) * C(k,l) * x(l)", {{'i', 30}, {'j', 5}, {'k', 20}, {'l', 40}});
}
/// Ten matrices in a row, or a tensor of order nine and a matrix for each of its modes.
Network chain10() {
  std::string text = "Y(a,k) =";
  std::map<char, double> sizes;
  for (char c = 'a'; c <= 'k'; ++c)
    sizes[c] = 10.0 + 7 * ((c * 5) % 11);
  for (int k = 0; k < 10; ++k)
    text += std::string(k ? " * " : " ") + static_cast<char>('A' + k) + "(" + static_cast<char>('a' + k) +
            "," + static_cast<char>('b' + k) + ")";
  return network_of(text, sizes);
}
Network star(int modes) {
  std::string text = "Y(a,r) = T(", factors;
  std::map<char, double> sizes{{'r', 16}};
  std::vector<double> prefixes;
  for (int k = 0; k < modes; ++k) {
    const char mode = static_cast<char>('a' + k);
    sizes[mode] = 30.0 + k;
    prefixes.push_back(std::min(30.0 * std::pow(12.0, k), 50000.0 + 1000 * k));
    text += std::string(k ? "," : "") + mode;
    if (k > 0) factors += std::string(" * ") + static_cast<char>('A' + k) + "(" + mode + ",r)";
  }
  return network_of(text + ")" + factors, sizes, {{"T", prefixes}});
}

SearchOptions wanted(Objective objective, std::size_t plans = 1) {
  SearchOptions options;
  options.price.objective = objective;
  options.plans = plans;
  options.most_elements = 1e18;
  return options;
}

/// All costs at once: forests are made only once. `all`: of buffers all forests are tried, also with loops
/// that terms share without a buffer between them. These only save steps of loops, and the search hasn't
/// them.
void expect_least(const Network &network, std::size_t &forests, bool all) {
  std::vector<double> least(objectives.size(), 1e300);
  std::vector<Forest> best(objectives.size());
  for (bool joined : {false, true}) {
    if (!joined && !all) continue;
    forests += each_forest(network, joined, [&](const Forest &forest) {
      for (std::size_t k = 0; k < objectives.size(); ++k) {
        const bool is_of_buffers = objectives[k] == Objective::Dimension || objectives[k] == Objective::Size;
        if (joined == (is_of_buffers && all)) continue;
        const double cost = cost_of(network, forest, {objectives[k]});
        if (cost < least[k]) least[k] = cost, best[k] = forest;
      }
    });
  }
  for (std::size_t k = 0; k < objectives.size(); ++k) {
    const Found found = search(network, wanted(objectives[k]));
    ASSERT_FALSE(found.plans.empty());
    const Plan &plan = found.plans.front();
    EXPECT_TRUE(found.is_complete);
    EXPECT_NEAR(plan.cost, least[k], 1e-9 * least[k]) << name_of(objectives[k]) << "\n"
                                                      << to_text(network) << "found:\n"
                                                      << to_text(network, plan.forest) << "least:\n"
                                                      << to_text(network, best[k]);
    EXPECT_NEAR(cost_of(network, plan.forest, {objectives[k]}), plan.cost, 1e-9 * plan.cost)
        << name_of(objectives[k]) << "\n"
        << to_text(network) << to_text(network, plan.forest);
  }
}

TEST(Search, finds_the_least_of_all_forests) {
  std::size_t forests = 0;
  for (const Network &network : {mttkrp3(), ttmc3(), tttp3(), chain3()})
    expect_least(network, forests, true);
  std::vector<Network> larger{mttkrp4(), attention(), chain4()};
  if (std::getenv("UNRAVEL_TEST_ALL")) larger.insert(larger.end(), {mttkrp5(), ttmc4()});
  for (const Network &network : larger)
    expect_least(network, forests, false);
  std::cout << forests << " forests\n";
}

TEST(Search, finds_the_least_of_all_forests_of_random_products) {
  std::mt19937_64 random(211);
  std::size_t forests = 0;
  for (int round = 0; round < 60; ++round)
    expect_least(random_network(random, round % 4 == 0 ? 4 : 3), forests, true);
  std::cout << forests << " forests\n";
}

TEST(Search, finds_the_least_of_all_forests_under_a_mask) {
  std::mt19937_64 random(212);
  std::size_t forests = 0, masked = 0;
  for (int round = 0; round < 60; ++round) {
    Network network = random_network(random, 4);
    std::swap(network.factors.front(), network.factors.back()); // sparse
    Factor &mask = network.factors.back();
    mask.role = Factor::Role::Mask;
    const Set used = network.of_all(network.parts());
    if ((network.of(3) & ~used) != 0 || (network.result & ~used) != 0) continue;
    ++masked;
    expect_least(network, forests, true);
  }
  EXPECT_GT(masked, 10u);
}

TEST(Search, finds_the_least_of_all_forests_of_factors_that_meet) {
  std::mt19937_64 random(213);
  std::size_t forests = 0, joined = 0;
  for (int round = 0; round < 300 && joined < 40; ++round) {
    Network network = random_network(random, 3);
    for (std::size_t one = 0; one < 3; ++one)
      for (std::size_t other = one + 1; other < 3; ++other)
        if (network.factors[one].is_sparse() && network.factors[other].is_sparse() &&
            std::popcount(network.of(one) & network.of(other)) == 1)
          network.joins.push_back({one, other, std::exp(static_cast<double>(random() % 9) - 4)});
    if (network.joins.empty()) continue;
    ++joined;
    expect_least(network, forests, true);
  }
  EXPECT_EQ(joined, 40u);
}

TEST(Search, asks_a_mask_wherever_its_indices_are_and_divides_once) {
  Network network = network_of("y(i) = A(i,j) * B(j,k) * x(k) * M(i) * d(j)",
                               {{'i', 500}, {'j', 400}, {'k', 300}}, {{"M", {5}}});
  network.factors[3].role = Factor::Role::Mask;
  network.factors[4].role = Factor::Role::Beside;
  network.factors[4].divides = true;
  EXPECT_EQ(to_text(network).substr(0, to_text(network).find('\n')),
            "y(i) = A(i,j) * B(j,k) * x(k) / d(j) mask M(i)");
  EXPECT_EQ(to_text(network, search(network, wanted(Objective::Work)).plans.front().forest),
            "let w(j) = 0;\n"
            "for j { for k { w(j) += B(j,k) * x(k) / d(j); } }\n"
            "for i { for j { y(i) += A(i,j) * w(j) mask M(i); } }\n");
}

TEST(Search, sums_the_innermost_mode_first) {
  // TTMc: work 2 nnz S + 2 nnz(IJ) R S, and a vector as a buffer (the paper, section 2.4.2).
  const Network network = ttmc3(); // rows of Y and w are gone along
  const Plan best = search(network, wanted(Objective::Time)).plans.front();
  EXPECT_NEAR(cost_of(network, best.forest, {Objective::Work}), 2 * 3000 * 8 + 2 * 700 * 16 * 8, 1e-6);
  EXPECT_EQ(cost_of(network, best.forest, {Objective::Dimension}), 1);
  EXPECT_EQ(to_text(network, best.forest), "for i { for j {\n"
                                           "  let w(s) = 0;\n"
                                           "  for k { for s { w(s) += T(i,j,k) * V(k,s); } }\n"
                                           "  for r { for s { Y(i,r,s) += U(j,r) * w(s); } }\n"
                                           "} }\n");
}

TEST(Search, keeps_what_changes_less_out_of_loops) {
  // By associativity: two products of a matrix and a vector.
  const Network chain = chain3();
  EXPECT_EQ(to_text(chain, search(chain, wanted(Objective::Time)).plans.front().forest),
            "let w(j) = 0;\n"
            "for j { for k { w(j) += B(j,k) * x(k); } }\n"
            "for i { for j { y(i) += A(i,j) * w(j); } }\n");
  // An inner product for each entry of S, then a sum of rows of V.
  const Network product = attention();
  EXPECT_EQ(to_text(product, search(product, wanted(Objective::Time)).plans.front().forest),
            "for i { for j {\n"
            "  let w = 0;\n"
            "  for k { w += Q(i,k) * K(j,k); }\n"
            "  let w2 = 0;\n"
            "  w2 += S(i,j) * w;\n"
            "  for r { Y(i,r) += V(j,r) * w2; }\n"
            "} }\n");
}

TEST(Search, need_not_find_what_costs_too_much) {
  std::mt19937_64 random(212);
  for (int round = 0; round < 40; ++round) {
    const Network network = random_network(random, 4);
    SearchOptions options = wanted(Objective::Work);
    const double least = search(network, options).plans.front().cost;
    options.less_than = 1.5 * least;
    EXPECT_EQ(search(network, options).plans.front().cost, least);
    options.less_than = least;
    for (const Plan &plan : search(network, options).plans)
      EXPECT_GE(plan.cost, least);
  }
}

TEST(Search, lists_plans_that_differ) {
  const Network network = ttmc4();
  const std::vector<Plan> plans = search(network, wanted(Objective::Time, 10)).plans;
  ASSERT_EQ(plans.size(), 10u);
  std::set<std::string> texts;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    texts.insert(to_text(network, plans[k].forest));
    EXPECT_LE(plans[k > 0 ? k - 1 : 0].cost, plans[k].cost);
  }
  EXPECT_EQ(texts.size(), 10u);
}

TEST(Search, says_when_it_has_not_tried_all) {
  SearchOptions options = wanted(Objective::Time);
  options.budget = 3000;
  const Found found = search(star(7), options);
  EXPECT_FALSE(found.is_complete);
  EXPECT_FALSE(found.plans.empty());
}

/// To find the best plans, and then the least work, as it is done for a line.
TEST(Search, takes_few_steps) {
  struct Case {
    Network network;
    std::int64_t budget;
  };
  for (const Case &each : {Case{attention(), 10'000}, Case{mttkrp4(), 10'000}, Case{tttp3(), 10'000},
                           Case{mttkrp5(), 30'000}, Case{ttmc4(), 10'000}, Case{star(6), 300'000}})
    for (std::size_t plans : {1, 10}) {
      SearchOptions options = wanted(Objective::Time, plans);
      options.budget = each.budget;
      const Found found = search(each.network, options);
      EXPECT_TRUE(found.is_complete) << each.network.factors.size() << " factors";
      SearchOptions work = wanted(Objective::Work);
      work.budget = each.budget;
      for (const Plan &plan : found.plans)
        work.less_than = std::min(work.less_than, cost_of(each.network, plan.forest, work.price));
      EXPECT_TRUE(search(each.network, work).is_complete) << each.network.factors.size() << " factors";
    }
  for (const Network &network : {chain10(), star(10)}) // cut off
    EXPECT_FALSE(search(network, wanted(Objective::Time, 10)).plans.empty());
}

} // namespace
} // namespace unravel::contract::test
