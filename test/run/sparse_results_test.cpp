// Results that kernels assemble, on small inputs: in the interpreter, with the iterations of parallel loops
// in any order, against the reference evaluator; their arrays have the properties of their layouts.
#include "report/diagnostic.h"
#include "run/interpreted.h"

#include <gtest/gtest.h>
#include <iostream>

namespace unravel::run::test {
namespace {

struct SparseKernel {
  std::string expression;
  std::vector<std::string> operands; // the names of those that are sparse
  bool is_vector = false;            // the result
};

const std::vector<std::string> operand_layouts = {"csr", "csc", "csr4", "dcsr", "coo", "coo_unsorted", "ell"};
const std::vector<std::string> result_layouts = {"csr", "csr4",    "csc", "dcsr",      "dcsc",
                                                 "coo", "coo_dup", "csf", "bcsr<2, 2>"};

const std::vector<SparseKernel> kernels = {
    {"C(i,j) = A(i,j)", {"A"}},
    {"C(i,j) = A(j,i)", {"A"}},
    {"C(i,j) = A(i,j) * B(i,j)", {"A", "B"}},
    {"C(i,j) = A(i,j) + 2 * B(i,j)", {"A", "B"}},
    {"C(i,j) = A(i,j) - B(j,i) + D(i,j)", {"A", "B", "D"}},
    {"C(i,j) = A(i,k) * B(k,j)", {"A", "B"}},
    {"C(i,j) = A(i,k) * B(k,j) + D(i,j)", {"A", "B", "D"}},
    {"C(i,j) = A(i,k) * B(j,k) * d(k)", {"A", "B"}},
    {"C(i,j) = A(i,j) * d(i)", {"A"}},
    {"for i { let w(j) = 0; for k { for j { w(j) += A(i,k) * B(k,j); } } for j { C(i,j) = w(j) * d(j); } }",
     {"A", "B", "w"}},
    {"C(i) = A(i,j)", {"A"}, true},
    {"C(j) = A(i,j) * d(i)", {"A"}, true},
    {"for i { for j { C(i,j) = A(i,j) + B(i,j); } }", {"A", "B"}},
    {"for i { for j { C(i,j) = 0; for k { C(i,j) += A(i,k) * B(k,j); } } }", {"A", "B"}},
    {"for i { for j { let s = 0; for k { s += A(i,k) * B(k,j); } C(i,j) = 2 * s; } }", {"A", "B"}},
    {"for i { C(i) = 0; for j { C(i) += A(i,j) * d(j); } }", {"A"}, true},
};

/// With the layouts of each tensor, of which one is drawn.
struct ShapedKernel {
  std::string expression;
  std::map<std::string, std::vector<std::string>> layouts;
};

const std::vector<std::string> vectors = {"sv", "bitmap", "hash_vector<2>"};
const std::vector<std::string> tensors = {"coo3", "csf", "csf<2,0,1>"};
const std::vector<std::string> tensor_results = {"coo3", "csf", "csf<1,2,0>"};

const std::vector<ShapedKernel> shaped_kernels = {
    {"C(i,j) = u(i) * v(j)", {{"u", vectors}, {"v", vectors}, {"C", result_layouts}}},
    {"C(i,j,k,l) = A(i,k) * B(j,l)",
     {{"A", operand_layouts}, {"B", operand_layouts}, {"C", {"coo4", "csf"}}}},
    {"C(i,j) = A(i,j) mask j < i", {{"A", operand_layouts}, {"C", result_layouts}}},
    {"C(i,j) = A(i,j) mask 1 <= i and i < 3 and j != 1", {{"A", operand_layouts}, {"C", result_layouts}}},
    {"for i { for j { if j <= i { C(i,j) = A(i,j); } } }", {{"A", operand_layouts}, {"C", result_layouts}}},
    {"C(i,j) = u(i) mask i = j", {{"u", vectors}, {"C", result_layouts}}},
    {"C(i) = A(i,i)", {{"A", operand_layouts}, {"C", {"sv"}}}},
    {"C(i,j,k) = T(i,j,k) + S(i,j,k)", {{"T", tensors}, {"S", tensors}, {"C", tensor_results}}},
    {"C(k,i,j) = T(i,j,k)", {{"T", tensors}, {"C", tensor_results}}},
    {"C(i,j) = T(i,j,k) * u(k)", {{"T", tensors}, {"u", vectors}, {"C", result_layouts}}},
    {"C(i,j,r) = T(i,j,k) * B(k,r)", {{"T", tensors}, {"B", operand_layouts}, {"C", tensor_results}}},
    {"C(i,r) = T(i,j,k) * B(j,r) * A(k,r)",
     {{"T", tensors}, {"A", operand_layouts}, {"B", operand_layouts}, {"C", result_layouts}}},
    {"C(i) = A(i,j) * u(j)", {{"A", operand_layouts}, {"u", vectors}, {"C", {"sv"}}}},
};

/// How many of 12 random inputs fit; up to the first that fails the test.
std::size_t checked_runs(const Interpreted &compiled, std::mt19937_64 &random,
                         Values values = Values::Exact) {
  std::size_t runs = 0;
  for (unsigned k = 0; k < 12; ++k) {
    const std::optional<SmallCase> input = compiled.draw(random);
    if (!input) continue;
    loop::InterpretOptions options;
    options.permute_parallel = k % 3 != 0;
    options.seed = k;
    ++runs;
    if (!compiled.check(*input, options, values)) break;
  }
  return runs;
}

Problem in_any_layouts(const SparseKernel &kernel, std::vector<std::string> schedules,
                       std::mt19937_64 &random) {
  Problem problem{kernel.expression, {}, std::move(schedules), {}};
  for (const std::string &operand : kernel.operands)
    problem.formats[operand] = operand == "w" ? std::vector{"listed", "bitmap", "hashed"}[random() % 3]
                                              : operand_layouts[random() % operand_layouts.size()];
  problem.formats["C"] = kernel.is_vector ? "sv" : result_layouts[random() % result_layouts.size()];
  return problem;
}

/// None where it is refused, for the order of its entries.
std::optional<Interpreted> compiled_in_order(const Problem &problem) {
  std::optional<Interpreted> compiled;
  try {
    compiled.emplace(problem);
  } catch (const report::Error &error) {
    EXPECT_EQ(error.diagnostic().kind, report::Kind::entries_out_of_order) << problem.text() << "\n"
                                                                           << error.what();
  }
  return compiled;
}

} // namespace

TEST(SparseResults, every_kernel_on_small_inputs) {
  std::mt19937_64 random(11);
  std::size_t runs = 0, made = 0, in_parallel = 0, dealt = 0;
  const std::size_t rounds = take_all() ? 40 : 6;
  for (std::size_t round = 0; round < rounds; ++round)
    for (const SparseKernel &kernel : kernels) {
      const Problem problem = in_any_layouts(kernel, {}, random);
      const std::optional<Interpreted> compiled = compiled_in_order(problem);
      if (!compiled) continue;
      ++made;
      dealt += std::ranges::any_of(compiled->compilation().plans(), &plan::LeafPlan::is_dealt);
      in_parallel += loop::to_text(compiled->compilation().program).find(" appends C.") != std::string::npos;
      runs += checked_runs(*compiled, random);
      if (HasFailure()) return;
    }
  std::cout << made << " kernels, " << in_parallel << " of them append in parallel, " << dealt << " deal, "
            << runs << " runs\n";
  EXPECT_GT(made, rounds * kernels.size() / 2);
  EXPECT_GT(in_parallel, rounds * 3);
  EXPECT_GT(dealt, rounds);
  EXPECT_GT(runs, made * 4);
}

/// Each pattern that operands have in matrices of 2 x 2 and vectors of 3 elements: merged loops, entries that
/// are inserted into locals of each kind.
TEST(SparseResults, every_small_input) {
  struct Case {
    Problem problem;
    std::int64_t extent;
    std::size_t inputs; // that there are
  };
  const std::string squares = "for i { let w(j) = 0; for j { w(j) += A(i,j); } for j { w(j) += B(i,j); } "
                              "for j { C(i,j) = w(j) * w(j); } }";
  std::vector<Case> cases = {
      {{"C(i) = A(i) + B(i)", {{"A", "sv"}, {"B", "sv"}, {"C", "sv"}}, {}, {}}, 3, 64},
      {{"C(i) = A(i) + 2 * B(i) - D(i)", {{"A", "sv"}, {"B", "sv"}, {"D", "sv"}, {"C", "sv"}}, {}, {}},
       3,
       512},
      {{"C(i) = A(i) * B(i) + D(i)", {{"A", "sv"}, {"B", "sv"}, {"D", "sv"}, {"C", "sv"}}, {}, {}}, 3, 512},
  };
  for (const char *layout : {"csr", "dcsr", "coo"})
    cases.push_back(
        {{"C(i,j) = A(i,j) + B(i,j)", {{"A", layout}, {"B", "csr"}, {"C", layout}}, {}, {}}, 2, 256});
  for (const char *local : {"listed", "bitmap", "hashed"})
    for (const std::string &line : {squares, std::string("C(i,j) = A(i,k) * B(k,j)")})
      cases.push_back({{line, {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}, {"w", local}}, {}, {}}, 2, 256});
  std::mt19937_64 random(23);
  for (const Case &each : cases) {
    SCOPED_TRACE(each.problem.text());
    const Interpreted compiled(each.problem);
    Sizes sizes;
    for (const std::string &name : names_of_sizes(compiled.compilation().computation))
      sizes.indices[name] = each.extent;
    const std::vector<SmallCase> inputs = compiled.inputs(sizes, each.inputs, random);
    EXPECT_EQ(inputs.size(), each.inputs);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      loop::InterpretOptions options;
      options.permute_parallel = k % 2 == 1;
      options.seed = k;
      ASSERT_TRUE(compiled.check(inputs[k], options));
    }
  }
}

TEST(SparseResults, tensors_of_other_shapes_on_small_inputs) {
  std::mt19937_64 random(19);
  std::size_t runs = 0, made = 0, tried = 0;
  for (std::size_t round = 0; round < (take_all() ? 40u : 4u); ++round)
    for (const ShapedKernel &kernel : shaped_kernels) {
      Problem problem{kernel.expression, {}, {}, {}};
      for (const auto &[tensor, layouts] : kernel.layouts)
        problem.formats[tensor] = layouts[random() % layouts.size()];
      ++tried;
      const std::optional<Interpreted> compiled = compiled_in_order(problem);
      if (!compiled) continue;
      ++made;
      runs += checked_runs(*compiled, random);
      if (HasFailure()) return;
    }
  std::cout << made << " of " << tried << " kernels, " << runs << " runs\n";
  EXPECT_GT(made, tried / 2);
  EXPECT_GT(runs, made * 4);
}

// Values that cancel: the result has the entries that packing its other values makes, and no zero.
/// What rows have in common, by each way to find it: the entries come in the result's order by all of them.
TEST(SparseResults, every_alternative) {
  std::mt19937_64 random(13);
  std::size_t made = 0, runs = 0;
  for (const char *line : {"C(i,j) = A(i,j) * B(i,j)", "C(i,j) = A(i,j) * B(i,j) * d(j)"})
    for (const char *layout : {"csr", "dcsr", "coo", "csf"})
      for (const char *schedule : {"serial", "chunk 1"}) {
        Problem problem{line, {{"A", "csr"}, {"B", "csr"}, {"C", layout}}, {schedule}, {}};
        const std::size_t count = number_of_plans(problem);
        EXPECT_GE(count, 4u) << line;
        for (std::size_t number = 0; number < count; ++number) {
          problem.only_alternative = number;
          const Interpreted compiled(problem);
          ++made;
          runs += checked_runs(compiled, random, number % 2 == 0 ? Values::Exact : Values::Special);
          if (HasFailure()) return;
        }
      }
  EXPECT_GT(runs, made * 4);
}

// Threads can't append behind the loop over what is left of whole steps: such loops run in one.
TEST(SparseResults, loops_that_append_are_unrolled) {
  const std::vector<Problem> problems = {
      {"C(i,j) = A(i,j) + B(i,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}, {"unroll i by 2"}, {}},
      {"C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}, {"B", "csr"}, {"C", "coo"}}, {"unroll i by 3"}, {}},
      {"C(i,j) = 2 * A(i,j)", {{"A", "dcsr"}, {"C", "dcsr"}}, {"unroll A.r by 2"}, {}},
  };
  std::mt19937_64 random(14);
  for (const Problem &problem : problems)
    EXPECT_GT(checked_runs(Interpreted(problem), random), 4u) << problem.text();
}

TEST(SparseResults, zeros_are_dropped_on_small_inputs) {
  std::vector<SparseKernel> all = kernels;
  all.push_back({"C(i,j) = A(i,j) * d(j) in min.+", {"A"}});
  all.push_back({"C(i,j) = A(i,k) * B(k,j) in min.+", {"A", "B"}});
  all.push_back({"C(i,j) = A(i,k) * B(k,j) in max.times", {"A", "B"}});
  std::mt19937_64 random(17);
  std::size_t runs = 0, made = 0, tested = 0, behind = 0, dealt = 0, in_parallel = 0;
  const std::size_t rounds = take_all() ? 30 : 5;
  for (std::size_t round = 0; round < rounds; ++round)
    for (const SparseKernel &kernel : all) {
      const Problem problem = in_any_layouts(kernel, {"drop zeros"}, random);
      const std::optional<Interpreted> compiled = compiled_in_order(problem);
      if (!compiled) continue;
      ++made;
      const std::string text = loop::to_text(compiled->compilation().program);
      const bool is_dealt = std::ranges::any_of(compiled->compilation().plans(), &plan::LeafPlan::is_dealt);
      const bool is_behind = text.find(".old") != std::string::npos;
      dealt += is_dealt, behind += is_behind, tested += !is_dealt && !is_behind;
      in_parallel += text.find(" appends C.") != std::string::npos;
      EXPECT_NE(text.find("differs"), std::string::npos) << problem.text();
      runs += checked_runs(*compiled, random, Values::Cancelling);
      if (HasFailure()) return;
    }
  std::cout << made << " kernels: " << tested << " test as they append, " << behind << " drop behind, "
            << dealt << " deal; " << in_parallel << " in parallel; " << runs << " runs\n";
  EXPECT_GT(tested, rounds);
  EXPECT_GT(behind, rounds);
  EXPECT_GT(dealt, rounds);
  EXPECT_GT(in_parallel, rounds);
  EXPECT_GT(runs, made * 4);
}

// The structure once, the values twice.
TEST(SparseResults, structure_and_values_apart_on_small_inputs) {
  std::mt19937_64 random(12);
  std::size_t runs = 0, made = 0, tried = 0;
  const std::size_t rounds = take_all() ? 30 : 4;
  for (std::size_t round = 0; round < rounds; ++round)
    for (const SparseKernel &kernel : kernels) {
      if (kernel.expression.find("let w") != std::string::npos) continue;
      Problem problem{kernel.expression, {}, {"reuse"}, {}};
      for (const std::string &operand : kernel.operands)
        problem.formats[operand] = operand_layouts[random() % operand_layouts.size()];
      problem.formats["C"] = kernel.is_vector ? "sv" : result_layouts[random() % result_layouts.size()];
      ++tried;
      std::optional<Interpreted> compiled;
      try {
        compiled.emplace(problem);
      } catch (const report::Error &error) {
        // Two positions of one coordinate in a result that may repeat it; a result that is packed.
        EXPECT_TRUE(error.diagnostic().kind == report::Kind::sparse_result ||
                    error.diagnostic().kind == report::Kind::not_supported)
            << problem.text() << "\n"
            << error.what();
        continue;
      }
      ++made;
      runs += checked_runs(*compiled, random);
      if (HasFailure()) return;
    }
  std::cout << made << " of " << tried << " kernels, " << runs << " runs\n";
  EXPECT_GT(made, tried * 2 / 3);
  EXPECT_GT(runs, made * 4);
}

} // namespace unravel::run::test
