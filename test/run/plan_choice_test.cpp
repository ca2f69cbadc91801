// Which plan a product takes by itself: never much more work than the best tree, for all kinds of
// counts, as the interpreter counts what is done.
#include "contract/search.h"
#include "convert/pack.h"
#include "cost/contractions.h"
#include "loop/interpret.h"
#include "pipeline/own_plan.h"
#include "run/problem.h"
#include "tensor/counts.h"

#include <algorithm>
#include <fmt/format.h>
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
      {"s = A(i,j) * x(i) * z(j)", {{"A", "csr"}}, {}, {}},
      {"C(i,l) = A(i,j) * B(j,k) * D(k,l) mask M(i,l)", {{"M", "csr"}}, {}, {}},
      {"C(i,l) = A(i,j) * B(j,k) * D(k,l) mask M(i,l)", {{"A", "csr"}, {"B", "csr"}, {"M", "csr"}}, {}, {}},
      {"y(i) = A(i,j) * B(j,k) * x(k) mask M(i)", {{"M", "sv"}}, {}, {}},
      {"y(i) = A(i,j) * B(j,k) * x(k) / d(i)", {{"A", "csr"}, {"B", "csr"}}, {}, {}},
      {"y(i) = A(i,j) * B(j,k) * x(k) / d(i)", {}, {}, {}},
      {"y(i) min= A(i,j) + B(j,k) + x(k)", {{"A", "csr fill inf"}, {"B", "csr fill inf"}}, {}, {}},
      {"y(i) = A(i,j) * B(j,k) * x(k)", {{"A", "bcsr<2,3>"}, {"B", "csc"}}, {}, {}}, // in blocks
      {"y(i) = A(i,j) * B(j,k) * x(k)", {{"A", "sell<4>"}, {"B", "bcsr<2,2>"}}, {}, {}}};
  return all;
}

using Tensors = std::map<std::string, tensor::Tensor>;

/// Operands with the sizes of indices.
struct Data {
  Sizes sizes;
  Tensors tensors;
};

/// Random ones for all tensors: few entries or many in the sparse ones, few columns or many in the others.
Data random_operands(const Problem &problem, std::mt19937_64 &random) {
  const pipeline::Front front = pipeline::read_request(problem.request());
  Data made;
  Sizes &sizes = made.sizes;
  for (const std::string &index : names_of_sizes(front.computation))
    sizes.indices[index] = std::vector<std::int64_t>{2, 3, 5, 9, 20}[random() % 5];
  const double density = std::vector<double>{0.02, 0.1, 0.4, 1}[random() % 4];
  for (const compute::TensorUse &use : front.computation.tensors) {
    if (use.is_result) continue;
    const std::vector<std::int64_t> shape = shape_of(front.computation, use.name, sizes).value();
    const bool is_dense = !problem.formats.contains(use.name);
    made.tensors.emplace(use.name,
                         convert::pack(front.layouts.at(use.name),
                                       random_tensor(shape, is_dense ? 1 : density, false, random)));
  }
  return made;
}

pipeline::Request request_of(const Problem &problem, const Data &data) {
  pipeline::Request request = problem.request();
  for (const auto &[name, tensor] : data.tensors)
    tensor::put_counts(name, tensor, request.counts);
  return request;
}

double work_of(const pipeline::Plans &plans, const contract::Forest &forest) {
  return contract::cost_of(plans.network, forest, {contract::Objective::Work});
}

/// All that the kernel is given; the result holds zeros.
loop::Memory memory_of(const Data &data, const compute::Computation &line,
                       const pipeline::Compilation &made) {
  loop::Memory memory;
  for (const auto &[name, tensor] : data.tensors) {
    for (const auto *numbers : {&tensor.sizes, &tensor.counts})
      for (const auto &[number, value] : *numbers)
        memory.sizes[name + "." + number] = value;
    for (const layout::Array &array : tensor.layout.arrays) {
      std::vector<double> &values = memory.values[name + "." + array.name];
      std::vector<std::int64_t> &indices = memory.indices[name + "." + array.name];
      for (std::size_t k = 0; k < tensor.array(array.name).size(); ++k)
        if (array.is_value)
          values.push_back(tensor.array(array.name).real(k));
        else
          indices.push_back(tensor.array(array.name).integer(k));
    }
  }
  const std::string &result = made.computation.tensors.front().name;
  const layout::Layout &layout = made.layouts.at(result);
  const std::vector<std::int64_t> shape = shape_of(line, result, data.sizes).value();
  for (std::size_t mode = 0; mode < shape.size(); ++mode)
    memory.sizes[result + "." + layout.sizes[mode]] = shape[mode];
  auto elements = static_cast<std::size_t>(data::element_count(shape));
  if (!made.structure.empty()) {
    const tensor::Tensor &lender = data.tensors.at(made.structure);
    for (const layout::Count &count : layout.counts)
      memory.sizes[result + "." + count.name] = lender.counts.at(count.name);
    elements = lender.array("val").size();
  }
  memory.values[result + ".val"].assign(elements, 0);
  return memory;
}

/// Operations on values, counted.
struct Operations final : loop::Observer {
  void start(const std::vector<std::string> &, const std::vector<std::string> &) override {}
  void enter(std::size_t, std::int64_t) override {}
  void leave(std::size_t) override {}
  void touch(std::size_t, std::int64_t, std::int64_t) override {}
  void point() override {}
  void operate(std::size_t times) override { count += static_cast<double>(times); }

  double count = 0;
};

double operations_of(const Data &data, const compute::Computation &line, const pipeline::Compilation &made) {
  loop::Memory memory = memory_of(data, line, made);
  Operations operations;
  loop::InterpretOptions options;
  options.observer = &operations;
  EXPECT_EQ(loop::interpret(made.program, memory, options), 0);
  return operations.count;
}

/// What is executed.
contract::Forest forest_of(const pipeline::Plans &plans, const pipeline::Compilation &made) {
  if (made.plan) return plans.found.plans[*made.plan].forest;
  return pipeline::own_forest(plans, made.leaves.front().plan).value_or(plans.written.forest);
}

bool has_one_sparse_factor(const contract::Network &network) {
  return std::ranges::count_if(network.factors, &contract::Factor::is_sparse) == 1;
}

} // namespace

TEST(PlanChoice, what_is_taken_does_no_more_work_than_the_best_tree) {
  std::mt19937_64 random(2121);
  std::size_t taken = 0, all = 0, of_several = 0, more = 0;
  double done_in_all = 0, work_in_all = 0;
  for (const Problem &kernel : kernels())
    for (int round = 0; round < 4; ++round) {
      const Data data = random_operands(kernel, random);
      const pipeline::Request request = request_of(kernel, data);
      const pipeline::Front front = pipeline::read_request(request);
      const std::optional<pipeline::Plans> plans = pipeline::plans_to_choose_from(request, front);
      ASSERT_TRUE(plans) << kernel.text();
      const pipeline::Compilation made = pipeline::compile(request, front);
      const contract::Forest forest = forest_of(*plans, made);
      const double work = work_of(*plans, forest);
      const double most = pipeline::most_work_of(front, *plans, plans->least_work) + 1e-6;
      ++all, taken += made.plan.has_value();
      if (!has_one_sparse_factor(plans->network)) { // contractions may need loops that there are not
        ++of_several, more += work > most;
        continue;
      }
      const double done = operations_of(data, front.computation, made);
      const std::string about = fmt::format("{}\n{}{}of {} operations, at least {}; {} were done",
                                            kernel.text(), to_text(plans->network),
                                            to_text(plans->network, forest), work, plans->least_work, done);
      EXPECT_LE(work, most) << about;
      EXPECT_LE(done, most) << about;
      EXPECT_LE(done, 1.05 * work) << about; // the model knows what is done
      done_in_all += done, work_in_all += work;
    }
  std::cout << all << " products, " << taken << " with a plan; " << more << " of " << of_several
            << " of several sparse tensors with more work\n";
  EXPECT_GT(taken, all / 4);
  EXPECT_LE(more, of_several / 6);
  EXPECT_GT(done_in_all, 0.95 * work_in_all); // empty rows are passed over
}

/// Sums that stay in registers are worth a few operations more than those that are scattered over a buffer.
TEST(PlanChoice, time_is_worth_some_work) {
  pipeline::Request request;
  request.expression = "Y(i,r) = T(i,j,k,l) * V(j,r) * W(k,r) * X(l,r)";
  request.formats = {{"T", "csf4"}};
  request.counts = {{"T.M", 50},      {"T.N", 60},      {"T.K", 70},      {"T.L", 800},      {"T.*", 800000},
                    {"T.NR", 50},     {"T.NC", 3000},   {"T.NF", 205000}, {"T.NNZ", 800000}, {"V.N", 32},
                    {"T.rowptr", 60}, {"T.colptr", 68}, {"T.fibptr", 3.9}};
  const pipeline::Front front = pipeline::read_request(request);
  const std::optional<pipeline::Plans> plans = pipeline::plans_to_choose_from(request, front);
  ASSERT_TRUE(plans);
  const double most = pipeline::most_work_of(front, *plans, plans->least_work);
  EXPECT_LT(most, cost::most_work_for_time * plans->least_work);
  const pipeline::Compilation made = pipeline::compile(request, front);
  ASSERT_EQ(made.plan, std::size_t{0});
  const double work = work_of(*plans, plans->found.plans[0].forest);
  EXPECT_GT(work, cost::most_work * plans->least_work);
  EXPECT_EQ(work, most);
}

/// Where T has k outermost, the least work needs a buffer over all of i and j.
TEST(PlanChoice, no_buffer_of_the_whole_is_taken_to_save_work) {
  pipeline::Request request;
  request.expression = "Y(i,r) = T(i,j,k) * V(j,r) * W(k,r)";
  request.formats = {{"T", "csf<2,0,1>"}};
  request.counts = {{"T.J", 100},     {"T.K", 60},      {"T.I", 4000},     {"T.*", 800000},   {"T.N1", 4000},
                    {"T.N2", 347537}, {"T.N3", 800000}, {"T.pos2", 86.88}, {"T.pos3", 2.302}, {"V.N", 64}};
  const pipeline::Compilation made = pipeline::compile(request);
  ASSERT_EQ(made.plan, std::size_t{0});
  const std::optional<pipeline::Plans> plans =
      pipeline::plans_to_choose_from(request, pipeline::read_request(request));
  ASSERT_TRUE(plans);
  EXPECT_GT(work_of(*plans, plans->found.plans[0].forest), 1.3 * plans->least_work);
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

TEST(PlanChoice, what_two_sparse_factors_cannot_share_is_no_reason_to_stay_as_written) {
  // Of the plan with the least work, the loops over i and k would go over positions of both.
  pipeline::Request request =
      Problem{"Z(i,j,l) = A(i,k,c) * B(k,j) * C(c,l)", {{"A", "csf3"}, {"B", "csr"}}, {}, {}}.request();
  request.counts = {{"A.M", 40}, {"A.N", 50}, {"A.K", 30},    {"A.NR", 40}, {"A.NF", 1273}, {"A.NNZ", 2000},
                    {"B.M", 50}, {"B.N", 40}, {"B.NNZ", 300}, {"C.M", 30},  {"C.N", 8}};
  const pipeline::Front front = pipeline::read_request(request);
  const std::optional<pipeline::Plans> plans = pipeline::plans_to_choose_from(request, front);
  ASSERT_TRUE(plans);
  const pipeline::Compilation made = pipeline::compile(request, front);
  ASSERT_TRUE(made.plan);
  EXPECT_GT(made.leaves.size(), 1u); // a program
  EXPECT_LT(work_of(*plans, forest_of(*plans, made)), 0.8 * work_of(*plans, plans->written.forest));
}
