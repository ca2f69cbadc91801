// How parallel loops are shared out and how they add up, as whole kernels: interpreted on small inputs, where
// iterations that race are told, and compiled, with several threads.
#include "run/compiled.h"
#include "run/interpreted.h"
#include "run/session.h"

#include <gtest/gtest.h>
#include <iostream>

using namespace unravel;
using namespace unravel::run::test;

namespace {

/// Kernels in pieces of equal work, fused ones, and such as add up in every way. Chunks are added.
std::vector<Problem> problems() {
  std::vector<Problem> all;
  auto add = [&](const char *expression, std::map<std::string, std::string> formats, const char *schedule) {
    all.push_back({expression, std::move(formats), {schedule}, {}});
  };
  const char *spmv = "y(i) = A(i,j) * x(j)", *spmm = "Y(i,r) = A(i,j) * B(j,r)";
  for (const char *how : {"static", "dynamic", "guided", "balanced"}) {
    std::string parallel = std::string("parallel i ") + how;
    add(spmv, {{"A", "csr"}}, parallel.c_str());
    add(spmm, {{"A", "csr"}}, parallel.c_str());
    add("Y(i,j) = X(i,k) * B(k,j)", {{"B", "csr"}},
        how == std::string("balanced") ? "serial" : parallel.c_str());
  }
  add(spmv, {{"A", "dcsr"}}, "parallel A.r balanced");
  add(spmm, {{"A", "dcsr"}}, "order A.r, A.p, r; parallel A.r balanced");
  // A piece inside a long row has no iteration for whose coordinate a walk could begin.
  add("y(i) = A(i,j) * z(i)", {{"A", "dcsr"}, {"z", "sv"}}, "parallel A.r balanced");
  all.back().finds = {"z=seq"};
  add(spmv, {{"A", "bcsr:2,2"}}, "parallel A.b balanced");
  add("y(i) += A(i,j) * x(j)", {{"A", "csr"}}, "parallel i balanced");
  add("y(i) = A(i,j) * x(j)", {{"A", "csr"}, {"x", "sv"}}, "order i, A.p; parallel i balanced");
  add("C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}, {"B", "csr"}}, "parallel i balanced");
  add("D(i,j) = A(i,j) * X(i,r) * B(j,r)", {{"A", "csr"}, {"D", "like:A"}}, "parallel i balanced");
  add("Y(i,r) = T(i,j,k) * B(j,r) * C(k,r)", {{"T", "csf3"}},
      "order T.r, T.f, T.p, r; parallel T.r balanced");
  add("y(j) = A(i,j) * x(i)", {{"A", "csr"}}, "parallel i balanced; reduce y by atomic");
  add("y(j) = A(i,j) * x(i)", {{"A", "csr"}}, "parallel i balanced; reduce y by private");
  add("s = A(i,j) * x(i) * z(j)", {{"A", "csr"}}, "parallel i balanced");
  for (const char *fused : {"fuse i, A.p", "fuse i, A.p; parallel i static"}) {
    add(spmv, {{"A", "csr"}}, fused);
    add(spmm, {{"A", "csr"}}, fused);
    add("y(i) += A(i,j) * x(j)", {{"A", "csr"}}, fused);
    add("s = A(i,j) * x(i) * z(j)", {{"A", "csr"}}, fused);
    add("y(j) = A(i,j) * x(i)", {{"A", "csr"}}, fused);
    add("D(i,j) = A(i,j) * X(i,r) * B(j,r)", {{"A", "csr"}, {"D", "like:A"}}, fused);
    add("C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}, {"B", "csr"}}, fused);
  }
  add(spmv, {{"A", "dcsr"}}, "fuse A.r, A.p");
  add(spmm, {{"A", "dcsr"}}, "order A.r, A.p, r; fuse A.r, A.p");
  add(spmv, {{"A", "csr"}, {"x", "sv"}}, "order i, A.p; fuse i, A.p");
  add("y(j) = A(i,j) * x(i)", {{"A", "csr"}}, "fuse i, A.p; reduce y by atomic");
  add("Y(i,j) = X(i,j) * Z(j,i)", {}, "order i, j; fuse i, j");
  add("Y(i,k) = X(i,j) * Z(j,k)", {}, "order i, j, k; fuse i, j");
  add("y(i) = X(i,j) * z(j)", {}, "order i, j; fuse i, j");
  add("Y(i,r) = T(i,j,k) * B(j,r) * C(k,r)", {{"T", "csf3"}}, "order T.r, T.f, T.p, r; fuse T.r, T.f");
  for (const char *how : {"private", "atomic"})
    for (const char *layout : {"csc", "coo", "coo_unsorted"}) {
      std::string loop = layout == std::string("csc") ? "parallel j" : "parallel A.p";
      std::string schedule = "order " + std::string(layout == std::string("csc") ? "j, A.p" : "A.p") + "; " +
                             loop + "; reduce y by " + how;
      add(spmv, {{"A", layout}}, schedule.c_str());
    }
  add("Y(j,r) = A(i,j) * B(i,r)", {{"A", "csr"}}, "parallel i; reduce Y by atomic");
  add(spmv, {{"A", "csr"}}, "parallel A.p; reduce y by atomic");
  add(spmv, {{"A", "csr"}}, "parallel A.p; reduce y by scalar");
  add("s = A(i,j) * x(i) * z(j)", {{"A", "csr"}}, "parallel i guided; reduce s by scalar");
  add("y(i) = a(i) * c(i) * b(k)", {{"a", "sv"}, {"c", "sv"}}, "parallel k; reduce y by scalar");
  add("s = A(i,j) * x(i) * z(j)", {{"A", "csr"}}, "parallel i static; reduce s by atomic");
  add("y(i) = A(i,j) * x(j)", {{"A", "csc"}, {"x", "sv"}}, "order j, A.p; parallel j; reduce y by atomic");
  // Rows are looped over before entries are found in a block: a block adds to rows of others, if only zeros.
  add(spmv, {{"A", "csb<2>"}}, "order A.a, A.b, i, A.p");
  add("for i { y(i) = 3*b(i); for j { y(i) -= A(i,j)*x(j); } y(i) *= b(i); }", {{"A", "csb<2>"}},
      "shift i by 2");
  return all;
}

/// Threads append to arrays of their own, chunk after chunk of iterations, of rows, of
/// stored rows and of columns, some of which take very long: chunks behind them are put into their places
/// late.
TEST(Sharing, chunks_of_appended_entries) {
  std::size_t teams = 0;
  for (const auto &[operand, layout] : {std::pair("csr", "csr"), {"csr", "dcsr"}, {"csc", "csc"}})
    for (const auto &[one, other] : {std::pair("rmat:scale=15,edges=8,seed=3", "banded:32768,width=1"),
                                     {"hypersparse:300000,rows=90000,edges=5", "banded:300000,width=0"},
                                     {"ones:1x700", "random:700x900,density=0.1"}}) {
      run::Request request;
      request.compile.expression = "C(i,j) = A(i,k) * B(k,j)";
      request.compile.formats = {{"A", operand}, {"B", operand}, {"C", layout}};
      request.inputs = {{"A", one}, {"B", other}};
      request.check = true;
      request.threads = 3;
      SCOPED_TRACE(std::string(layout) + " " + one);
      const run::Report report = run::run(request);
      ASSERT_TRUE(report.comparison && report.comparison->ok);
      teams += report.c_text.find("unravel_parts_put") != std::string::npos ? 1 : 0;
    }
  EXPECT_GE(teams, 6u);
}

} // namespace

TEST(Sharing, small_inputs_in_any_order) {
  std::mt19937_64 random(41);
  std::size_t runs = 0;
  for (Problem problem : problems())
    for (const char *chunk : {"chunk 1", "chunk 3", ""}) {
      Problem chunked = problem;
      if (*chunk) chunked.schedules.push_back(chunk);
      SCOPED_TRACE(chunked.text());
      Interpreted kernel(chunked);
      for (const Sizes &sizes : small_sizes(kernel.compilation().computation))
        for (const SmallCase &input : kernel.inputs(sizes, take_all() ? 500 : 12, random)) {
          loop::InterpretOptions options;
          options.iteration_budget = 100'000;
          options.permute_parallel = runs % 4 != 0;
          options.seed = runs++;
          if (!kernel.check(input, options)) return;
        }
    }
  std::cout << runs << " runs\n";
  EXPECT_GT(runs, 5000u);
}

TEST(Sharing, compiled_on_one_to_three_threads) {
  std::mt19937_64 random(42);
  std::size_t calls = 0, number = 0;
  for (Problem problem : problems()) {
    if (problem.formats.contains("D")) continue; // the structure of an operand: packed with it alone
    SCOPED_TRACE(problem.text());
    problem.index = ++number % 2 ? loop::ElementType::Int32 : loop::ElementType::Int64;
    problem.value = number % 3 ? loop::ElementType::Float64 : loop::ElementType::Float32;
    problem.schedules.push_back("chunk " + std::to_string(number % 4 == 0 ? 64 : 2 + number % 5));
    Packer packer(problem);
    Compiled kernel(problem);
    for (const Sizes &sizes : sizes_of_all_kinds(packer.front().computation))
      if (std::optional<PackedCase> input = packer.draw(sizes, random))
        for (int threads : {1, 2, 3}) {
          if (!kernel.check(*input, threads)) return;
          ++calls;
        }
  }
  std::cout << calls << " calls\n";
  EXPECT_GT(calls, 500u);
}

/// Rows of graphs: few have most of the entries, and many none. And matrices without any.
TEST(Sharing, power_law_rows) {
  const char *spmv = "y(i) = A(i,j) * x(j)";
  struct Case {
    const char *layout, *schedule;
  };
  for (const Case &each :
       {Case{"csr", "parallel i balanced"}, Case{"csr", "parallel i balanced; chunk 100"},
        Case{"dcsr", "order A.r, A.p; parallel A.r balanced; chunk 100"}, Case{"csr", "parallel i static"},
        Case{"csr", "fuse i, A.p"}, Case{"csr", "fuse i, A.p; chunk 100"},
        Case{"dcsr", "order A.r, A.p; fuse A.r, A.p; chunk 37"},
        Case{"csc", "order j, A.p; parallel j; reduce y by atomic"},
        Case{"csc", "order j, A.p; fuse j, A.p; reduce y by private; chunk 100"}})
    for (const char *matrix : {"rmat:scale=10,edges=8,seed=3", "hypersparse:5000,rows=40,edges=30",
                               "random:300x200,entries=0", "random:1x5000,density=0.5"})
      for (int threads : {1, 2, 3}) {
        run::Request request;
        request.compile.expression = spmv;
        request.compile.formats = {{"A", each.layout}};
        request.compile.schedules = {each.schedule};
        request.inputs = {{"A", matrix}, {"x", "random"}};
        request.check = true;
        request.threads = threads;
        SCOPED_TRACE(std::string(each.layout) + " " + each.schedule + " " + matrix);
        run::Report report = run::run(request);
        ASSERT_TRUE(report.comparison && report.comparison->ok);
      }
}
