// Which plan a product takes by itself: never much more work than the best tree, for all kinds of counts.
#include "contract/search.h"
#include "convert/pack.h"
#include "cost/contractions.h"
#include "pipeline/own_plan.h"
#include "run/problem.h"
#include "tensor/counts.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::run::test;

namespace {

/// Products of tensor decompositions and completion, of graphs and of attention.
const std::vector<Problem> &kernels() {
  static const std::vector<Problem> all = {
      {"Y(i,r) = T(i,j,k) * U(j,r) * V(k,r)", {{"T", "csf3"}}, {}, {}},
      {"Y(j,r) = T(i,j,k) * U(i,r) * V(k,r)", {{"T", "csf3"}}, {}, {}},
      {"Y(k,r) = T(i,j,k) * U(i,r) * V(j,r)", {{"T", "csf3"}}, {}, {}},
      {"Y(i,r) = T(i,j,k,l) * U(j,r) * V(k,r) * W(l,r)", {{"T", "csf4"}}, {}, {}},
      {"Y(l,r) = T(i,j,k,l) * U(i,r) * V(j,r) * W(k,r)", {{"T", "csf4"}}, {}, {}},
      {"Y(i,r,s) = T(i,j,k) * U(j,r) * V(k,s)", {{"T", "csf3"}}, {}, {}},
      {"Y(j,r,s) = T(i,j,k) * U(i,r) * V(k,s)", {{"T", "csf3"}}, {}, {}},
      {"Y(k,r,s) = T(i,j,k) * U(i,r) * V(j,s)", {{"T", "csf3"}}, {}, {}},
      {"Y(q,r,s) = T(i,j,k) * P(i,q) * U(j,r) * V(k,s)", {{"T", "csf3"}}, {}, {}},
      {"Y(i,r,s,t) = T(i,j,k,l) * U(j,r) * V(k,s) * W(l,t)", {{"T", "csf4"}}, {}, {}},
      {"Y(i,j,k) = T(i,j,k) * U(i,r) * V(j,r) * W(k,r)", {{"T", "csf3"}, {"Y", "like:T"}}, {}, {}},
      {"Y(i,j,k,l) = T(i,j,k,l) * U(i,r) * V(j,r) * W(k,r) * X(l,r)",
       {{"T", "csf4"}, {"Y", "like:T"}},
       {},
       {}},
      {"Z(c,l) = T(i,j,k,l) * A(i,a) * B(a,j,b) * C(b,k,c)", {{"T", "csf4"}}, {}, {}},
      {"y = T(i,j,k) * A(i,a) * B(a,j,b) * C(b,k)", {{"T", "csf3"}}, {}, {}},
      {"Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * V(j,r)", {{"S", "csr"}}, {}, {}},
      {"Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * V(j,r)", {{"S", "coo"}}, {}, {}},
      {"y(i) = A(i,j) * B(j,k) * x(k)", {{"A", "csr"}, {"B", "csr"}}, {}, {}},
      {"y(i) = A(i,j) * B(j,k) * C(k,l) * x(l)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}, {}, {}},
      {"Y(i,m) = A(i,j) * B(j,k) * C(k,m)", {{"A", "csr"}}, {}, {}},
      {"Y(i,m) = A(i,j) * B(j,k) * C(k,m)", {{"A", "csr"}, {"B", "csr"}}, {}, {}},
      {"y(i) = A(i,j) * x(j) * z(j)", {{"A", "csr"}}, {}, {}},
      {"y(i) = A(i,j) * x(i) * z(j)", {{"A", "csr"}}, {}, {}},
      {"s = A(i,j) * x(i) * z(j)", {{"A", "csr"}}, {}, {}}};
  return all;
}

using Tensors = std::map<std::string, tensor::Tensor>;

/// Random ones for all tensors: few entries or many in the sparse ones, few columns or many in the others.
Tensors random_tensors(const Problem &problem, std::mt19937_64 &random) {
  const pipeline::Front front = pipeline::read_request(problem.request());
  Sizes sizes;
  for (const std::string &index : names_of_sizes(front.computation))
    sizes.indices[index] = std::vector<std::int64_t>{2, 3, 5, 9, 20}[random() % 5];
  const double density = std::vector<double>{0.02, 0.1, 0.4, 1}[random() % 4];
  Tensors made;
  for (const compute::TensorUse &use : front.computation.tensors) {
    if (use.is_result) continue;
    const std::vector<std::int64_t> shape = shape_of(front.computation, use.name, sizes).value();
    const bool is_dense = !problem.formats.contains(use.name);
    made.emplace(use.name, convert::pack(front.layouts.at(use.name),
                                         random_tensor(shape, is_dense ? 1 : density, false, random)));
  }
  return made;
}

pipeline::Request request_of(const Problem &problem, const Tensors &tensors) {
  pipeline::Request request = problem.request();
  for (const auto &[name, tensor] : tensors)
    for (const auto &[count, value] : tensor::known_counts(tensor))
      request.counts[name + "." + count] = value;
  return request;
}

double work_of(const pipeline::Plans &plans, const contract::Forest &forest) {
  return contract::cost_of(plans.network, forest, {contract::Objective::Work});
}

/// What is executed.
contract::Forest forest_of(const pipeline::Plans &plans, const pipeline::Compilation &made) {
  if (made.plan) return plans.found.plans[*made.plan].forest;
  return pipeline::own_forest(plans, made.leaves.front().plan).value_or(plans.written.forest);
}

double least_work(const pipeline::Plans &plans) {
  contract::SearchOptions options;
  options.price.objective = contract::Objective::Work;
  double least = work_of(plans, plans.written.forest);
  for (const contract::Plan &plan : contract::search(plans.network, options).plans)
    least = std::min(least, plan.cost);
  return least;
}

} // namespace

TEST(PlanChoice, what_is_taken_does_no_more_work_than_the_best_tree) {
  std::mt19937_64 random(2121);
  std::size_t taken = 0, all = 0, slower = 0;
  for (const Problem &kernel : kernels())
    for (int round = 0; round < 4; ++round) {
      const pipeline::Request request = request_of(kernel, random_tensors(kernel, random));
      const pipeline::Front front = pipeline::read_request(request);
      const std::optional<pipeline::Plans> plans = pipeline::plans_to_choose_from(request, front);
      ASSERT_TRUE(plans) << kernel.text();
      const pipeline::Compilation made = pipeline::compile(request, front);
      const contract::Forest forest = forest_of(*plans, made);
      ++all, taken += made.plan.has_value();
      const double work = work_of(*plans, forest), least = least_work(*plans);
      if (work <= cost::most_work * least + 1e-6) continue;
      // Only where all that does less takes longer, as estimated.
      ++slower;
      const double time = contract::cost_of(plans->network, forest, {});
      for (const contract::Plan &plan : plans->found.plans)
        if (work_of(*plans, plan.forest) <= cost::most_work * least) {
          EXPECT_GT(plan.cost, cost::most_time_for_work * time)
              << kernel.text() << "\n"
              << to_text(plans->network) << "work " << work << ", at least " << least << "\n"
              << to_text(plans->network, forest) << "instead of\n"
              << to_text(plans->network, plan.forest);
        }
    }
  std::cout << all << " products, " << taken << " with a plan, " << slower << " with more work\n";
  EXPECT_GT(taken, all / 4);
  EXPECT_LT(slower, all / 4);
}

TEST(PlanChoice, loops_of_a_sparse_factor_are_shared_by_themselves) {
  const auto taken = [](const Problem &line, double entries) {
    pipeline::Request request = line.request();
    request.counts = {{"T.M", 60},
                      {"T.N", 50},
                      {"T.K", 40},
                      {"U.M", 60},
                      {"U.N", 16},
                      {"V.M", 50},
                      {"V.N", 16},
                      {"W.M", 40},
                      {"W.N", 16},
                      {"T.NR", 60},
                      {"T.NF", std::min(entries, 3000.0)},
                      {"T.NNZ", entries}};
    return pipeline::compile(request);
  };
  const Problem tttp{
      "Y(i,j,k) = T(i,j,k) * U(i,r) * V(j,r) * W(k,r)", {{"T", "csf3"}, {"Y", "like:T"}}, {}, {}};
  // Twenty entries in a fibre: a product of two rows serves them all.
  const pipeline::Compilation many = taken(tttp, 60000);
  ASSERT_TRUE(many.plan);
  ASSERT_TRUE(many.leaves[0].plan.parts);
  EXPECT_EQ(many.leaves[0].parallel, 0u);
  const auto stage = std::ranges::find(many.stages, "parts", &pipeline::Stage::name);
  EXPECT_TRUE(stage != many.stages.end());
}
