// Loops that are unrolled, vectorised and jammed because a schedule asks for it: whatever it makes of them,
// the result is that of the expression. Run by the interpreter on small inputs, simd loops in any order, and
// compiled, on one thread and on two.
#include "report/diagnostic.h"
#include "run/compiled.h"
#include "run/interpreted.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iostream>

using namespace unravel;
using namespace unravel::run::test;

namespace {

template <class T> const T &one_of(const std::vector<T> &of, std::mt19937_64 &random) {
  return of[random() % of.size()];
}

/// Changes of some of the loops that the problem has.
std::string random_requests(const pipeline::Compilation &plain, std::mt19937_64 &random) {
  std::vector<std::string> loops;
  for (const pipeline::Leaf &leaf : plain.leaves)
    for (const scan::Level &level : leaf.plan.nest.levels)
      if (level.kind != scan::Level::Kind::Let) loops.push_back(level.variable);
  if (loops.empty()) return "";
  std::string text;
  std::set<std::string> asked;
  for (std::size_t left = 1 + random() % 2; left > 0; --left) {
    const std::string &loop = one_of(loops, random);
    if (!asked.insert(loop).second) continue;
    switch (random() % 3) {
    case 0: text += fmt::format("unroll {} by {}; ", loop, 2 + random() % 3); break;
    case 1: text += fmt::format("vectorise {}; ", loop); break;
    default: text += fmt::format("jam {} by {}; ", loop, 2 + random() % 3);
    }
  }
  return text;
}

struct Case {
  std::string expression;
  std::map<std::string, std::string> formats;
  std::string schedule;
};

const std::string spmv = "y(i) = A(i,j) * x(j)", spmm = "Y(i,r) = A(i,j) * B(j,r)",
                  sddmm = "D(i,j) = A(i,j) * X(i,r) * B(j,r)";

/// All of them are granted.
const std::vector<Case> &cases() {
  static const std::vector<Case> all = {
      {spmv, {{"A", "csr"}}, "vectorise A.p"},
      {spmv, {{"A", "csr"}}, "unroll A.p by 3"},
      {spmv, {{"A", "csr"}}, "unroll i by 4; vectorise A.p"},
      {spmv, {{"A", "dcsr"}}, "unroll A.r by 2; vectorise A.p"},
      {spmv, {}, "jam i by 4; vectorise j"},
      {spmv, {}, "jam i by 3; unroll j by 2"},
      {spmv, {}, "order j, i; jam j by 4; serial"},
      {spmv, {{"A", "bcsr<2,2>"}}, "jam i by 2"},
      {spmv, {{"A", "bcsr<2,2>"}}, "unroll A.c by 2; unroll A.p by 3"},
      {spmv, {{"A", "dia"}}, "vectorise i"},
      {spmv, {{"A", "dia"}}, "unroll A.d by 2"},
      {spmv, {{"A", "ell"}}, "jam A.s by 2"},
      {spmv, {{"A", "ell"}}, "vectorise i"},
      {spmv, {{"A", "coo_unsorted"}}, "unroll A.p by 4"},
      {spmv, {{"A", "csr"}}, "tile i by 3; vectorise A.p; unroll i.tile by 2"},
      {spmm, {{"A", "csr"}}, "jam A.p by 4"},
      {spmm, {{"A", "csr"}}, "jam A.p by 2; vectorise r"},
      {spmm, {{"A", "csr"}}, "vectorise r; unroll A.p by 2"},
      {spmm, {{"A", "csr"}}, "order i, r, A.p; jam r by 4"},
      {spmm, {{"A", "csr"}}, "order i, r, A.p; jam r by 2; vectorise A.p; unroll i by 2"},
      {spmm, {{"A", "dcsr"}}, "jam A.p by 3; unroll r by 4"},
      {spmm, {{"A", "bcsr<2,2>"}}, "vectorise r; unroll A.p by 2"},
      {spmm, {{"A", "dia"}}, "unroll r by 2"},
      {spmm, {{"A", "ell"}}, "vectorise r"},
      {spmm, {}, "order i, r, j; jam i by 2; jam r by 2"},
      {spmm, {}, "jam i by 2, j by 2; vectorise r"},
      {sddmm, {{"A", "csr"}, {"D", "like:A"}}, "jam A.p by 4; vectorise r"},
      {sddmm, {{"A", "csr"}, {"D", "like:A"}}, "jam A.p by 2; unroll r by 3"},
      {sddmm, {{"A", "dcsr"}, {"D", "like:A"}}, "vectorise r"},
      {sddmm, {{"A", "coo"}, {"D", "like:A"}}, "jam A.p by 4"},
      {"s = A(i,j) * B(i,j)", {{"A", "csr"}}, "vectorise A.p; unroll i by 2"},
      {"s = x(i) * y(i)", {}, "vectorise i"},
      {"y(i) = A(i,j) * x(j)", {{"A", "symmetric_csr"}}, "unroll A.p by 2"},
  };
  return all;
}

Problem problem_of(const Case &each) {
  Problem problem;
  problem.expression = each.expression;
  problem.formats = each.formats;
  problem.schedules = {each.schedule};
  return problem;
}

} // namespace

TEST(LoopRequests, change_no_result) {
  std::mt19937_64 random(41);
  std::size_t kernels = 0, runs = 0, refused = 0;
  std::vector<Problem> problems = sample_of(all_problems(), 30, 41);
  std::vector<Problem> literature = literature_sample(30, 42);
  problems.insert(problems.end(), literature.begin(), literature.end());
  for (Problem &problem : problems) {
    problem.schedules = {random_requests(pipeline::compile(problem.request()), random)};
    auto run_all = [&] {
      Interpreted kernel(problem);
      ++kernels;
      for (const Sizes &sizes : small_sizes(kernel.compilation().computation))
        for (const SmallCase &input : kernel.inputs(sizes, 6, random)) {
          loop::InterpretOptions options;
          options.iteration_budget = 100'000;
          options.permute_parallel = true;
          if (!kernel.check(input, options)) return;
          ++runs;
        }
    };
    try {
      run_all();
    } catch (const report::Error &error) {
      report::Kind kind = error.diagnostic().kind;
      EXPECT_TRUE(kind == report::Kind::not_parallel || kind == report::Kind::not_supported ||
                  kind == report::Kind::bad_transformation ||
                  kind == report::Kind::unknown_variable) // a search that is no loop
          << problem.text() << "\n"
          << error.what();
      ++refused;
    }
    if (HasFailure()) return;
  }
  std::cout << kernels << " kernels, " << runs << " runs; " << refused << " refused\n";
  EXPECT_GT(runs, kernels * 20);
  EXPECT_GT(kernels, 40u);
}

TEST(LoopRequests, granted_on_small_inputs) {
  std::mt19937_64 random(43);
  for (const Case &each : cases()) {
    Interpreted kernel(problem_of(each));
    for (const Sizes &sizes : small_sizes(kernel.compilation().computation))
      for (const SmallCase &input : kernel.inputs(sizes, 20, random)) {
        loop::InterpretOptions options;
        options.permute_parallel = true;
        if (!kernel.check(input, options)) return;
      }
  }
}

/// Sizes that the factors don't divide, and empty ones.
TEST(LoopRequests, granted_on_one_thread_and_two) {
  std::mt19937_64 random(44);
  std::size_t calls = 0;
  for (const Case &each : cases()) {
    Problem problem = problem_of(each);
    problem.formats.erase("D"); // what is drawn for a result has no operand's structure
    problem.value = calls % 3 == 2 ? loop::ElementType::Float32 : loop::ElementType::Float64;
    Packer packer(problem);
    Compiled kernel(problem);
    for (const Sizes &sizes : sizes_of_all_kinds(packer.front().computation))
      for (int round = 0; round < 2; ++round) {
        std::optional<PackedCase> input = packer.draw(sizes, random);
        if (!input) continue;
        ++calls;
        if (!kernel.check(*input, 1) || !kernel.check(*input, 2)) return;
      }
  }
  EXPECT_GT(calls, cases().size() * 6);
}

/// Extents that are known when the kernel is made: the kernel takes no others.
TEST(LoopRequests, of_constant_extents) {
  std::mt19937_64 random(45);
  for (const char *schedule :
       {"bound r = 16; unroll r", "bound r = 16; jam A.p by 2; unroll r", "bound r = 16; vectorise r",
        "bound r = 5; unroll r by 4", "bound r = 5; order i, r, A.p; jam r by 4",
        "bound r = 16; order i, r, A.p; jam r by 16; vectorise A.p"}) {
    for (const std::string &expression : {spmm, sddmm}) {
      Problem problem;
      problem.expression = expression;
      problem.formats = {{"A", "csr"}};
      if (expression == sddmm && std::string(schedule).find("order") != std::string::npos) continue;
      problem.schedules = {schedule};
      Packer packer(problem);
      Compiled kernel(problem);
      std::int64_t extent = std::string(schedule).find("= 16") != std::string::npos  ? 16
                            : std::string(schedule).find("= 5") != std::string::npos ? 5
                                                                                     : 1;
      for (std::int64_t rows : {0, 1, 7, 40})
        for (int round = 0; round < 3; ++round) {
          std::optional<PackedCase> input = packer.draw({{{"i", rows}, {"j", 9}, {"r", extent}}}, random);
          ASSERT_TRUE(input);
          if (!kernel.check(*input, 1) || !kernel.check(*input, 2)) return;
        }
    }
  }
}
