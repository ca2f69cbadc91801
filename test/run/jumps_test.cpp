// Loops over tiles that go on at the next tile with an entry: which ones do, and whole kernels, interpreted
// on small inputs and compiled. (That they enter no tile in vain: tiling_test.cpp.)
#include "golden.h"
#include "loop/walk.h"
#include "run/sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iostream>

using namespace unravel;
using namespace unravel::run::test;

namespace {

const std::string spmv = "y(i) = A(i,j) * x(j)", spmm = "Y(i,r) = A(i,j) * B(j,r)",
                  sddmm = "D(i,j) = A(i,j) * X(i,r) * B(j,r)",
                  tensor_times_vector = "Y(i,j) = A(i,j,k) * x(k)";

struct Case {
  std::string expression;
  std::map<std::string, std::string> formats;
  std::string schedule;
  std::string found; // the variable that walks
  std::string loop;  // over tiles, that jumps; empty: none does
};

const std::vector<Case> &cases() {
  static const std::vector<Case> all = {
      {spmv, {{"A", "csr"}}, "tile j by 2", "A.p", "j.tile"},
      {spmv, {{"A", "csr"}}, "tile j by 2; serial", "A.p", "j.tile"},
      {spmv, {{"A", "csr"}}, "tile i by 2, j by 2", "A.p", "j.tile"},
      {spmv, {{"A", "csr"}}, "tile j by 2, i by 2", "A.p", "j.tile"},
      {spmv, {{"A", "csr"}}, "split j by 2; order i, j.split, A.p", "A.p", "j.split"},
      {spmm, {{"A", "csr"}}, "tile j by 2", "A.p", "j.tile"},
      {spmm, {{"A", "csr"}}, "tile i by 3, j by 2; order i.tile, j.tile, i, A.p, r", "A.p", "j.tile"},
      {sddmm, {{"A", "csr"}, {"D", "like:A"}}, "tile j by 2", "A.p", "j.tile"},
      {sddmm, {{"A", "csr"}, {"D", "like:A"}}, "tile j by 2; parallel j.tile", "A.p", ""},
      {sddmm, {{"A", "csr"}, {"D", "like:A"}}, "tile j by 2; jam A.p by 2; vectorise r", "A.p", "j.tile"},
      {spmv, {{"A", "dcsr"}}, "tile j by 2", "A.p", "j.tile"},
      {spmv, {{"A", "dcsr"}}, "tile j by 2; order A.r, j.tile, A.p", "A.p", "j.tile"},
      {spmv, {{"A", "csc"}}, "tile i by 2; serial", "A.p", "i.tile"},
      {spmv, {{"A", "dcsc"}}, "tile i by 2; serial", "A.p", "i.tile"},
      {spmv, {{"A", "coo"}}, "tile i by 2; serial", "A.p", "i.tile"},
      {spmv, {{"A", "bcsr<2,2>"}}, "tile j by 4; order j.tile, A.b, A.p", "A.p", "j.tile"},
      {tensor_times_vector, {{"A", "csf"}}, "tile k by 2", "A.p3", "k.tile"},
      {tensor_times_vector, {{"A", "csf3"}}, "tile k by 2", "A.p", "k.tile"},
      // Each iteration of a parallel loop takes its tile.
      {spmv, {{"A", "csc"}}, "tile i by 2; parallel i.tile", "A.p", ""},
      // The rows of a block visit its entries one after the other.
      {spmv, {{"A", "bcsr<2,2>"}}, "tile j by 4; order j.tile, A.b, i, A.p", "A.p", ""},
      // Blocks lie in several tiles.
      {spmv, {{"A", "bcsr<2,2>"}}, "tile j by 3; order j.tile, A.b, A.p", "A.p", ""},
  };
  return all;
}

Problem problem_of(const Case &of, const std::string &method) {
  Problem problem{of.expression, of.formats, {of.schedule}, {of.found + "=" + method}};
  problem.untiled_for_one_tile = false;
  return problem;
}

/// The variables of loops that jump.
std::string jumping(const loop::Block &block) {
  std::string names;
  loop::each_statement(block, [&](const loop::Statement &statement) {
    const auto *loop = std::get_if<loop::While>(&statement.kind);
    if (!loop || loop->comment.find("continue where") == std::string::npos) return;
    names += std::get<loop::Let>(loop->body.front().kind).variable;
  });
  return names;
}

} // namespace

TEST(Jumps, which_loops) {
  for (const Case &each : cases())
    for (const char *method : {"seq", "gallop"}) {
      Problem problem = problem_of(each, method);
      SCOPED_TRACE(problem.text());
      EXPECT_EQ(jumping(pipeline::compile(problem.request()).program.body), each.loop);
    }
}

/// Rows without entries before the bound are set, too.
TEST(Jumps, up_to_a_bound) {
  Problem problem{spmv, {{"A", "csr"}}, {"tile j by 2; bound j in [0, 4)"}, {"A.p=seq"}};
  pipeline::Compilation made = pipeline::compile(problem.request());
  EXPECT_EQ(jumping(made.program.body), "j.tile");
  for (auto &[row, expected] : {std::pair{std::vector<std::int64_t>{5}, 0.0}, {{1, 3, 6}, 2.0}, {{}, 0.0}}) {
    loop::Memory memory;
    auto count = static_cast<std::int64_t>(row.size());
    memory.sizes = {{"A.M", 1}, {"A.N", 8}, {"A.NNZ", count}, {"x.M", 8}, {"y.M", 1}};
    memory.indices = {{"A.rowptr", {0, count}}, {"A.col", row}};
    memory.values = {
        {"A.val", std::vector<double>(row.size(), 1)}, {"x.val", std::vector<double>(8, 1)}, {"y.val", {7}}};
    ASSERT_EQ(loop::interpret(made.program, memory), 0);
    EXPECT_EQ(memory.values.at("y.val")[0], expected);
  }
}

/// The first tile isn't that of the first key: so it says why it takes every tile.
TEST(Jumps, not_of_a_part) {
  Problem problem{spmv, {{"A", "csr"}}, {"tile j by 2; bound j in [2, 6)"}, {"A.p=seq"}};
  pipeline::Compilation made = pipeline::compile(problem.request());
  EXPECT_EQ(jumping(made.program.body), "");
  EXPECT_EQ(made.leaves[0].plan.finds.levels.back().walk()->no_jump,
            "j.tile takes every value: O-first not proved");
}

TEST(Jumps, all_small_inputs) {
  std::mt19937_64 random(41);
  std::size_t runs = 0;
  for (const Case &each : cases())
    for (const char *method : {"seq", "gallop"}) {
      Problem problem = problem_of(each, method);
      SCOPED_TRACE(problem.text());
      Interpreted kernel(problem);
      if (!check_on_small_inputs(kernel, 60, false, random, runs)) return;
    }
  std::cout << runs << " runs\n";
  EXPECT_GT(runs, 5000u);
}

TEST(Jumps, compiled_on_one_thread_and_two) {
  std::mt19937_64 random(42);
  std::size_t calls = 0, number = 0;
  for (const Case &each : cases()) {
    Problem problem = problem_of(each, number % 3 ? "seq" : "gallop");
    problem.index = ++number % 2 ? loop::ElementType::Int32 : loop::ElementType::Int64;
    SCOPED_TRACE(problem.text());
    if (problem.formats.contains("D")) problem.formats.erase("D"); // a dense one: of any structure
    Compiled kernel(problem);
    Packer packer(problem);
    for (const Sizes &sizes : sizes_of_all_kinds(packer.front().computation))
      for (int round = 0; round < 3; ++round)
        if (std::optional<PackedCase> input = packer.draw(sizes, random)) {
          calls += 2;
          if (!kernel.check(*input, 1) || !kernel.check(*input, 2)) return;
        }
  }
  std::cout << calls << " calls\n";
  EXPECT_GT(calls, 200u);
}

TEST(Jumps, text) {
  std::string text;
  for (const Case &each : {Case{spmv, {{"A", "csr"}}, "tile i by 16, j by 32", "A.p", ""},
                           Case{spmv, {{"A", "coo"}}, "tile i by 32; serial", "A.p", ""}}) {
    Problem problem = problem_of(each, "seq");
    pipeline::Compilation made = pipeline::compile(problem.request());
    text += fmt::format("{}\n{}{}\n", problem.text(),
                        plan::to_text(made.leaves[0].plan.finds, made.leaves[0].plan.nest),
                        loop::to_text(made.program.body));
  }
  unravel::test::golden_check("run", "jumps", text);
}
