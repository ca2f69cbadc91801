// Walks whose states are kept in arrays, as whole kernels: interpreted on all small inputs, and compiled.
#include "loop/walk.h"
#include "run/sweep.h"

#include <gtest/gtest.h>
#include <iostream>

using namespace unravel;
using namespace unravel::run::test;

namespace {

/// By the name of the variable that is found.
const plan::LevelPlan &plan_of(const pipeline::Compilation &compilation, const std::string &variable) {
  for (const pipeline::Leaf &leaf : compilation.leaves)
    for (const plan::LevelPlan &plan : leaf.plan.finds.levels)
      if (leaf.plan.nest.levels[plan.level].variable == variable) return plan;
  throw std::logic_error("no find of " + variable);
}

std::string indices_of(const plan::LevelPlan &plan) {
  std::string text;
  for (const term::Term &index : plan.walk()->state_index)
    text += (text.empty() ? "" : ", ") + term::to_text(index);
  return text;
}

/// The parallel loop's variable, "" where all run in one thread.
std::string parallel_loop(const loop::Program &program) {
  std::string found;
  loop::each_statement(program.body, [&](const loop::Statement &statement) {
    const auto *loop = std::get_if<loop::For>(&statement.kind);
    if (loop && loop->parallel) found = loop->variable;
  });
  return found;
}

bool is_packable(const Problem &problem) {
  try {
    Packer packer(problem);
    return true;
  } catch (const report::Error &error) {
    EXPECT_EQ(error.diagnostic().kind, report::Kind::cannot_pack) << error.what();
    return false;
  }
}

} // namespace

TEST(ArrayStates, where_and_how_they_are_kept) {
  for (const ArrayState &each : array_states()) {
    SCOPED_TRACE(each.problem.text());
    Interpreted kernel(each.problem);
    const plan::LevelPlan &plan = plan_of(kernel.compilation(), each.found);
    ASSERT_TRUE(plan.walk());
    EXPECT_EQ(indices_of(plan), each.index);
    const loop::Program &program = kernel.compilation().program;
    EXPECT_EQ(parallel_loop(program), each.parallel);
    ASSERT_EQ(program.workspace.size(), 1u);
    EXPECT_EQ(program.workspace[0].name, each.found + ".states");
    EXPECT_EQ(term::to_text(program.workspace[0].extent), each.room);
    EXPECT_EQ(program.workspace[0].per_thread, each.per_thread);
  }
}

/// Where each thread's part of a loop would need all states, one thread runs it, and the plan says so.
TEST(ArrayStates, one_thread_by_the_plan) {
  Problem problem{"C(i,j) = A(i,j) * B(i,j)", {{"A", "csr"}, {"B", "csc"}}, {"order i, A.p"}, {"B.p=seq"}};
  const pipeline::Compilation made = pipeline::compile(problem.request());
  EXPECT_FALSE(made.leaves[0].parallel || made.leaves[0].plan.parallel);
  EXPECT_EQ(parallel_loop(made.program), "");
  problem.schedules = {"order i, A.p; parallel i"};
  report::Diagnostic refused;
  EXPECT_FALSE(report::unless_refused([&] { return pipeline::compile(problem.request()); }, &refused));
  EXPECT_EQ(refused.message,
            "the loop over `i` can't run in parallel: each thread's part of it would need all "
            "states of the walks that find `B.p`");
  problem.finds = {"B.p=binary"};
  const pipeline::Compilation searches = pipeline::compile(problem.request());
  EXPECT_EQ(searches.leaves[0].plan.parallel, 0u);
  EXPECT_EQ(parallel_loop(searches.program), "i");
}

TEST(ArrayStates, all_small_inputs) {
  std::mt19937_64 random(31);
  std::size_t runs = 0;
  for (const ArrayState &each : array_states())
    for (const char *method : {"seq", "gallop"})
      for (const char *chunk : {"chunk 1", "chunk 2"}) {
        Problem problem = each.problem;
        problem.finds = {each.found + "=" + method};
        problem.schedules.push_back(chunk);
        Interpreted kernel(problem);
        if (!check_on_small_inputs(kernel, 60, false, random, runs)) return;
      }
  std::cout << runs << " runs\n";
  EXPECT_GT(runs, 5000u);
}

TEST(ArrayStates, compiled_on_one_thread_and_two) {
  std::mt19937_64 random(32);
  std::size_t calls = 0, number = 0;
  for (const ArrayState &each : array_states()) {
    Problem problem = each.problem;
    problem.index = ++number % 2 ? loop::ElementType::Int32 : loop::ElementType::Int64;
    problem.finds = {each.found + (number % 3 ? "=seq" : "=gallop")};
    problem.schedules.push_back("chunk " + std::to_string(1 + number % 3));
    Compiled kernel(problem);
    auto check = [&](const PackedCase &input) {
      calls += 2;
      return kernel.check(input, 1) && kernel.check(input, 2);
    };
    Interpreted small(problem);
    for (const Sizes &sizes : small_sizes(small.compilation().computation))
      for (const SmallCase &input : small.inputs(sizes, 20, random))
        if (!check(packed(input, small.compilation(), problem))) return;
    if (!is_packable(problem)) continue;
    Packer packer(problem);
    for (const Sizes &sizes : sizes_of_all_kinds(packer.front().computation))
      for (int round = 0; round < 3; ++round)
        if (std::optional<PackedCase> input = packer.draw(sizes, random))
          if (!check(*input)) return;
  }
  std::cout << calls << " calls\n";
  EXPECT_GT(calls, 1000u);
}

/// In front of a loop that statements share they are filled where the condition around their own holds.
TEST(ArrayStates, are_filled_under_a_condition) {
  std::mt19937_64 random(33);
  std::size_t runs = 0;
  Interpreted kernel({"size l; tensor A(m,n), B(q,n), z(l,q); for i in [0,l) { for k in [0,q) { let s = 0; "
                      "if i < m { for j { s += A(i,j) * B(k,j); } } z(i,k) = s * s; } }",
                      {{"A", "csr"}, {"B", "@unusual/dia_in_any_order"}},
                      {},
                      {"A=seq"}});
  ASSERT_EQ(kernel.compilation().program.workspace.size(), 1u);
  EXPECT_EQ(kernel.compilation().program.workspace[0].name, "A.p.states.2");
  EXPECT_TRUE(check_on_small_inputs(kernel, 40, true, random, runs));
  EXPECT_GT(runs, 100u);
}
