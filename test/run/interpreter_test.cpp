// Every computation in its layouts on all small inputs, run by the interpreter: no C compiler takes part.
// Every find that was proved runs on every small array that satisfies the properties, so a wrong proof shows
// here.
#include "report/diagnostic.h"
#include "run/interpreted.h"

#include <gtest/gtest.h>
#include <iostream>

using namespace unravel;
using namespace unravel::run::test;

namespace {

/// All inputs of all small sizes, up to a limit per size; every other one with its parallel loops in
/// disorder.
bool check_all(const Interpreted &kernel, std::size_t limit, std::mt19937_64 &random, std::size_t &runs,
               Values values = Values::Exact) {
  for (const Sizes &sizes : small_sizes(kernel.compilation().computation))
    for (const SmallCase &input : kernel.inputs(sizes, limit, random)) {
      loop::InterpretOptions options;
      options.iteration_budget = 10'000;
      options.permute_parallel = runs % 2 == 1;
      options.seed = runs++;
      if (!kernel.check(input, options, values)) return false;
    }
  return true;
}

/// Compiles; nothing where a request for a schedule is refused, which must be for one of these reasons.
std::optional<Interpreted> compile_if_possible(const Problem &problem,
                                               const std::vector<report::Kind> &reasons) {
  try {
    return Interpreted(problem);
  } catch (const report::Error &error) {
    EXPECT_TRUE(std::find(reasons.begin(), reasons.end(), error.diagnostic().kind) != reasons.end())
        << problem.text() << "\n"
        << error.what();
    return std::nullopt;
  }
}

/// A sample where each problem is compiled many times.
std::vector<Problem> few_of(std::size_t count, std::uint64_t seed) {
  std::vector<Problem> problems = sample_of(all_problems(), 3 * count, seed);
  if (!take_all()) problems.resize(count);
  return problems;
}

std::string order_text(const std::vector<std::string> &variables) {
  std::string text;
  for (const std::string &variable : variables)
    text += (text.empty() ? "order " : ", ") + variable;
  return text;
}

std::size_t limit(std::size_t usual) {
  return take_all() ? usual * 40 : usual;
}

} // namespace

TEST(SmallInputs, all_arrays_of_a_layout_are_found) {
  auto count = [](const std::string &layout, std::vector<std::int64_t> shape) {
    Problem problem{shape.size() == 1 ? "s = A(i)" : "s = A(i,j)", {{"A", layout}}, {}, {}};
    return all_arrays(pipeline::read_request(problem.request()).layouts.at("A"), shape).size();
  };
  // Subsets of at most 3 elements.
  EXPECT_EQ(count("sv", {2}), 4u);
  EXPECT_EQ(count("sv", {3}), 8u);
  EXPECT_EQ(count("csr", {2, 2}), 15u);
  EXPECT_EQ(count("csc", {2, 2}), 15u);
  EXPECT_EQ(count("coo", {2, 2}), 15u);
  EXPECT_EQ(count("@csr_down", {2, 2}), 15u);
  // Sequences without repetition: 1 + 4 + 4 * 3 + 4 * 3 * 2.
  EXPECT_EQ(count("coo_unsorted", {2, 2}), 41u);
  // Sequences: 1 + 4 + 16 + 64.
  EXPECT_EQ(count("coo_dup", {2, 2}), 85u);
  // Listed rows may be empty.
  EXPECT_GT(count("dcsr", {2, 2}), 15u);
}

TEST(Interpreter, all_small_inputs) {
  std::mt19937_64 random(1);
  std::size_t runs = 0, kernels = 0;
  for (const Problem &problem : sample_of(all_problems(), 130, 1)) {
    std::optional<Interpreted> kernel = compile_if_possible(problem, {});
    if (!kernel) return;
    ++kernels;
    if (!check_all(*kernel, limit(30), random, runs)) return;
  }
  std::cout << kernels << " kernels, " << runs << " runs\n";
  EXPECT_GT(runs, kernels * 20);
}

/// A slot without an entry has the column -1: no map of that row of B is filled.
TEST(Interpreter, maps_are_filled_behind_the_guards_of_what_they_read) {
  std::mt19937_64 random(4);
  std::size_t runs = 0;
  for (const char *find : {"j=hash", "j=map", "j=binary"})
    for (const char *layout : {"sell<2>", "ell"}) {
      Problem problem{
          "C(i,j) = A(i,k) * B(k,j)", {{"A", layout}, {"B", "bitmap"}}, {"order i, A.q, k"}, {find}};
      if (std::string(layout) == "ell") problem.schedules = {"order i, A.s, k"};
      std::optional<Interpreted> kernel = compile_if_possible(problem, {report::Kind::find_not_proved});
      if (kernel && !check_all(*kernel, limit(30), random, runs)) return;
    }
  EXPECT_GT(runs, 40u);
}

/// 2*j = col(p): an odd column is nobody's.
TEST(Interpreter, coordinates_are_told_by_multiples) {
  std::mt19937_64 random(6);
  std::size_t runs = 0;
  for (const std::string layout : {"@derived/csr_doubled", "@derived/csr_doubled_back"})
    for (const Problem &problem :
         {Problem{"s = A(i,j)", {{"A", layout}}, {}, {}},
          Problem{"y(i) = A(i,j) * x(j)", {{"A", layout}, {"x", "sv"}}, {}, {}},
          Problem{"y(j) = A(i,j) * B(i,j)", {{"A", layout}, {"B", layout}}, {}, {}},
          Problem{"C(i,j) = A(i,j) + B(i,j)", {{"A", layout}, {"B", "csr"}, {"C", "csr"}}, {}, {}},
          Problem{"C(i,k) = B(i,j) * A(j,k)", {{"A", layout}, {"B", "csr"}, {"C", layout}}, {}, {}}}) {
      std::optional<Interpreted> kernel = compile_if_possible(problem, {});
      if (!kernel || !check_all(*kernel, limit(30), random, runs)) return;
    }
  EXPECT_GT(runs, 100u);
}

/// A coordinate that a schedule computes may lie outside: it is tested before a loop further in reads with
/// it.
TEST(Interpreter, computed_coordinates_are_in_range_before_an_array_is_searched) {
  std::mt19937_64 random(5);
  std::size_t runs = 0;
  Problem problem{"C(i,j) = A(i,k) * B(k,j)",
                  {{"A", "bitmap"}, {"B", "bcsc<2,3>"}},
                  {"skew A.a by 1*k; skew B.c by 2*k; skew B.b by 1*k; order A.a.skew"},
                  {}};
  std::optional<Interpreted> kernel = compile_if_possible(problem, {});
  ASSERT_TRUE(kernel);
  check_all(*kernel, limit(30), random, runs);
  EXPECT_GT(runs, 20u);
}

TEST(Interpreter, every_find_that_can_be_had) {
  std::mt19937_64 random(2);
  std::size_t runs = 0;
  const std::vector<std::string> methods = {"direct", "seq", "gallop", "binary", "hash", "map", "scan"};
  std::map<std::string, int> forced;
  std::vector<Problem> problems = few_of(40, 2); // half of them are sums, which are left out
  problems.push_back({"y(i) = A(i,j) * B(i,j)", {{"A", "dcsr"}, {"B", "@dcsr_all"}}, {}, {}});
  for (Problem problem : problems) {
    std::optional<Interpreted> kernel = compile_if_possible(problem, {});
    if (!kernel) return;
    const pipeline::Leaf &leaf = kernel->compilation().leaves.at(0);
    if (kernel->compilation().leaves.size() != 1) continue;
    problem.schedules = {order_text(leaf.order)};
    for (const plan::LevelPlan &plan : leaf.plan.finds.levels) {
      std::string variable = leaf.plan.nest.levels.at(plan.level).variable;
      for (const std::string &method : methods) {
        problem.finds = {variable + "=" + method};
        std::optional<Interpreted> other = compile_if_possible(problem, {report::Kind::find_not_proved});
        if (!other) continue;
        ++forced[method];
        if (!check_all(*other, limit(10), random, runs)) return;
      }
      problem.finds.clear();
    }
  }
  for (const std::string &method : methods) {
    std::cout << method << ": " << forced[method] << " kernels\n";
    // A position that its target determines is mostly an assignment already; test/find has the direct ones.
    if (method == "direct") continue;
    EXPECT_GT(forced[method], 4) << method;
  }
}

/// Each plan of a kernel with several of them, whatever the counts say; also where a zero, an infinity or a
/// NaN is stored, which must meet what is stored and nothing else.
TEST(Interpreter, every_alternative) {
  std::mt19937_64 random(4);
  std::size_t runs = 0, kernels = 0, in_step = 0;
  std::vector<Problem> problems = with_alternatives();
  for (Problem &problem : few_of(15, 4))
    problems.push_back(std::move(problem));
  for (Problem problem : problems) {
    std::size_t count = number_of_plans(problem);
    if (count < 2) continue;
    problem.schedules = {"chunk 1"};
    for (std::size_t number = 0; number < count; ++number) {
      problem.only_alternative = number;
      Interpreted kernel(problem);
      ++kernels;
      in_step += loop::to_text(kernel.compilation().program).find("intersect ") != std::string::npos;
      if (!check_all(kernel, limit(10), random, runs)) return;
      if (!check_all(kernel, limit(5), random, runs, Values::Special)) return;
    }
  }
  std::cout << kernels << " kernels, " << in_step << " of them in step, " << runs << " runs\n";
  EXPECT_GT(kernels, 60u);
  EXPECT_GT(in_step, 1u);
}

TEST(Interpreter, segments_of_known_lengths) {
  std::mt19937_64 random(8);
  std::size_t runs = 0, skipped = 0, masked = 0;
  for (const Problem &problem : with_known_lengths()) {
    Interpreted kernel(problem);
    std::string text = loop::to_text(kernel.compilation().program);
    skipped += text.find("_strip ") != std::string::npos;
    masked += text.find(" masked true") != std::string::npos;
    if (!check_all(kernel, limit(40), random, runs)) return;
  }
  EXPECT_GE(skipped, 3u);
  EXPECT_GE(masked, 6u);
}

TEST(Interpreter, stored_zeros_meet_infinities_and_absent_entries_do_not) {
  std::mt19937_64 random(6);
  std::size_t runs = 0;
  for (Problem problem : few_of(15, 6)) {
    std::optional<Interpreted> kernel = compile_if_possible(problem, {});
    if (!kernel || !check_all(*kernel, limit(10), random, runs, Values::Special)) return;
  }
  for (Problem problem : with_alternatives())
    for (const std::string method : {"map", "hash", "seq", "binary"}) {
      problem.finds = {problem.formats.count("x") ? "x=" + method : "B=" + method};
      std::optional<Interpreted> kernel =
          compile_if_possible(problem, {report::Kind::find_not_proved, report::Kind::no_such_find});
      if (kernel && !check_all(*kernel, limit(4), random, runs, Values::Special)) return;
    }
  EXPECT_GT(runs, 2000u);
}

TEST(Interpreter, every_order_of_loops) {
  std::mt19937_64 random(3);
  std::size_t runs = 0, orders = 0;
  for (Problem problem : few_of(20, 3)) {
    std::optional<Interpreted> kernel = compile_if_possible(problem, {});
    if (!kernel) return;
    if (kernel->compilation().leaves.size() != 1) continue;
    std::vector<std::string> variables = kernel->compilation().combination.leaves.at(0).variables();
    for (int tries = 0; tries < 3; ++tries) {
      for (std::size_t k = variables.size(); k > 1; --k)
        std::swap(variables[k - 1], variables[random() % k]);
      problem.schedules = {order_text(variables), "chunk 1"};
      std::optional<Interpreted> other = compile_if_possible(problem, {report::Kind::not_bounded_here});
      if (!other) continue;
      ++orders;
      if (!check_all(*other, limit(10), random, runs)) return;
    }
  }
  std::cout << orders << " orders\n";
  EXPECT_GT(orders, 10u);
}
