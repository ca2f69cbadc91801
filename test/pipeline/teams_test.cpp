// From how much work on a parallel loop has a team, and in which chunks it is dealt out.
#include "emit/emit.h"
#include "pipeline/request_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::pipeline;
using namespace unravel::pipeline::test;

namespace {

const std::string spmv = "y(i) = A(i,j) * x(j)\n";

std::string work_of(const Compilation &made) {
  const loop::For *loop = parallel_loop(made.program.body);
  if (!loop) return "serial";
  std::string text = "from " + std::to_string(loop->parallel->least);
  return loop->parallel->work ? text + " of " + term::to_text(*loop->parallel->work) : text;
}

} // namespace

TEST(PipelineTeams, a_team_is_woken_for_enough_entries_only) {
  EXPECT_EQ(work_of(compile_text(spmv + "-f A=csr")), "from 524288 of 3*A.M + A.NNZ");
  EXPECT_EQ(work_of(compile_text("y(i) = A(i,j) * B(i,j)\n-f A=csr\n-f B=csr")),
            "from 262144 of 3*A.M + A.NNZ + B.NNZ");
  EXPECT_EQ(work_of(compile_text("C(i,j) = A(i,k) * B(k,j)\n-f A=csr")),
            "from 2097152 of B.N*(3*A.M + A.NNZ)");
  EXPECT_EQ(work_of(compile_text(spmv + "-f A=dense")), "from 2097152 of A.M*A.N");
  // Rows that are listed count as rows; those between them are set to zero.
  EXPECT_EQ(work_of(compile_text(spmv + "-f A=dcsr")), "from 524288 of A.NNZ + 3*A.NR + floor(A.M / 4)");
  // A slice's entries lie side by side, and each takes the time of one.
  EXPECT_EQ(work_of(compile_text(spmv + "-f A=sell:8")),
            "from 524288 of 8*A.NQ + 3*floor((A.M - 1) / 8) + 3");
  // Rows of equal length: the entries' place in the array says of which row they are.
  EXPECT_EQ(work_of(compile_text(spmv + "-f A=layout pairs(i: M, j: N) { index col[M, 2]; value val[M, 2]; "
                                        "stored { [r, s] -> [i, j] : i = r and 0 <= r < M and 0 <= s < 2 and "
                                        "j = col(r, s) } at val(r, s); "
                                        "property forall r, s : 0 <= col(r, s) < N; }")),
            "from 524288 of 5*A.M");
  // Who names the loop wants it.
  EXPECT_EQ(work_of(compile_text(spmv + "-f A=csr\n-s parallel i")), "from 0 of 3*A.M + A.NNZ");
}

/// Each round wakes the team again: what one round does must be enough.
TEST(PipelineTeams, a_loop_inside_a_serial_one_has_a_team_for_enough_work_per_round) {
  const std::string rounds = "tensor A(n, n), x(n), y(n); size rounds; for k in [0, rounds) { ";
  const std::string product =
      "for i in [0, n) { let s = 0; for j in [0, n) { s += A(i,j) * x(j); } y(i) = s; } ";
  const std::string sum = "for i in [0, n) { x(i) += y(i); y(i) *= 2; } }";
  const std::string both = rounds + product + sum + "\n-f A=csr";
  auto work_of_all = [](const Compilation &compilation) {
    std::vector<std::string> all;
    loop::each_statement(compilation.program.body, [&](const loop::Statement &statement) {
      const auto *loop = std::get_if<loop::For>(&statement.kind);
      if (loop && loop->parallel)
        all.push_back(
            fmt::format("from {} of {}", loop->parallel->least, term::to_text(*loop->parallel->work)));
    });
    return all;
  };
  EXPECT_EQ(work_of_all(compile_text(both)),
            (std::vector<std::string>{"from 524288 of 3*A.M + A.NNZ + floor(A.M / 4)",
                                      "from 524288 of 2*floor(A.M / 4)"}));
  // Known data: what one round does decides, not how many rows it passes.
  auto parallel_loops = [&](double rows, double length) {
    Request request = read_request_text(both);
    request.counts = {
        {"A.M", rows}, {"A.N", rows}, {"A.NNZ", rows * length}, {"A.rowptr", length}, {"rounds", 50}};
    return work_of_all(compile(request)).size();
  };
  EXPECT_EQ(parallel_loops(10000, 5), 0u);
  EXPECT_EQ(parallel_loops(2000, 500), 1u);
  EXPECT_EQ(parallel_loops(1e6, 5), 1u);
  EXPECT_EQ(parallel_loops(4e6, 5), 2u);
}

/// Rows that grow are as long as the middle one; a loop inside that a column's entries bound has these alone.
TEST(PipelineTeams, a_pass_over_a_part_has_the_work_of_that_part) {
  EXPECT_EQ(
      work_of(compile_text("tensor A(n, n), y(n); for i in [0, n) { for j in [0, i) { y(i) += A(i,j); } }")),
      "from 2097152 of max(0, A.M - 1)*max(0, floor((A.M + 1) / 2))");
  EXPECT_EQ(
      work_of(compile_text("tensor A(n, n), y(n); for k in [0, n) { for i in [0, k) { y(i) += A(i,k); } }"
                           "\n-s order k, i")),
      "from 2097152");
}

/// Few targets in each row: neither a map of the row nor the row itself counts, a search does.
TEST(PipelineTeams, looking_for_few_targets_is_little_work) {
  Request request = read_request_text(spmv + "-f A=csr\n-f x=sv");
  request.counts = {{"A.M", 1e4},      {"A.N", 1e4}, {"A.NNZ", 1e6},
                    {"A.rowptr", 100}, {"x.M", 1e4}, {"x.NNZ", 1}};
  EXPECT_EQ(parallel_of(compile(request)), "");
  for (const char *size : {"A.M", "A.N", "A.NNZ", "x.M"})
    request.counts[size] *= 100;
  EXPECT_EQ(parallel_of(compile(request)), "i");
}

/// Taking a chunk costs more than a few short rows.
TEST(PipelineTeams, chunks_have_enough_to_do) {
  auto chunks = [](const std::string &text) {
    const loop::Parallel parallel = *parallel_loop(compile_text(text).program.body)->parallel;
    return std::make_pair(parallel.chunk, parallel.share);
  };
  EXPECT_EQ(chunks(spmv + "-f A=csr"), (std::pair<int, std::int64_t>(1, 32768)));
  EXPECT_EQ(chunks(spmv + "-f A=csr\n-s parallel i"), (std::pair<int, std::int64_t>(1, 32768)));
  EXPECT_EQ(chunks(spmv + "-f A=csr\n-s chunk 64"), (std::pair<int, std::int64_t>(64, 0)));
  EXPECT_EQ(chunks(spmv + "-f A=@one_per_row"), (std::pair<int, std::int64_t>(4096, 0)));
}

/// Loops side by side do what each does; segments of one tensor inside each other hold each entry once.
TEST(PipelineTeams, what_a_loop_does_is_what_its_parts_do) {
  auto work = [](const std::string &text) {
    const loop::Parallel parallel = *parallel_loop(compile_text(text).program.body)->parallel;
    return fmt::format("{} of {}", parallel.least, to_text(*parallel.work));
  };
  EXPECT_EQ(work("Y(i,r) = S(i,j) * Q(i,k) * K(j,k) * V(j,r)\n-f S=csr\n-s plan 1"),
            "2097152 of (Q.N + V.N)*(3*S.M + S.NNZ)");
  EXPECT_EQ(work("y(i) = T(i,j,k) * x(j) * z(k)\n-f T=csf"), "524288 of 3*T.N1 + T.N3 + floor(T.I / 4)");
}

TEST(PipelineTeams, data_that_are_known_to_be_small_need_no_team) {
  auto parallel = [](const std::string &text, const schedule::Counts &counts) {
    Request request = read_request_text(text);
    request.counts = counts;
    return parallel_of(compile(request));
  };
  schedule::Counts small{{"A.M", 1000}, {"A.N", 1000}, {"A.NNZ", 5000}, {"A.rowptr", 5}};
  schedule::Counts large{{"A.M", 1e6}, {"A.N", 1e6}, {"A.NNZ", 5e6}, {"A.rowptr", 5}};
  EXPECT_EQ(parallel(spmv + "-f A=csr", small), "");
  EXPECT_EQ(parallel(spmv + "-f A=csr", large), "i");
  EXPECT_EQ(parallel(spmv + "-f A=csr\n-s parallel i", small), "i");
  // What is walked over counts: few targets in long rows.
  schedule::Counts long_rows = small;
  long_rows.insert({{"B.NNZ", 2000000}, {"B.rowptr", 2000}});
  EXPECT_EQ(parallel("y(i) = A(i,j) * B(i,j)\n-f A=csr\n-f B=csr", long_rows), "i");
  small.insert({{"B.NNZ", 5000}, {"B.rowptr", 5}});
  EXPECT_EQ(parallel("y(i) = A(i,j) * B(i,j)\n-f A=csr\n-f B=csr", small), "");
}

/// To ask OpenMP for a team takes longer than most columns do.
TEST(PipelineTeams, a_segment_inside_another_loop_has_no_team_where_nothing_is_known_of_it) {
  const auto is_parallel = [](const std::string &text) {
    return emit::emit_c(compile_text(text).program).find("#pragma omp parallel") != std::string::npos;
  };
  EXPECT_FALSE(is_parallel(spmv + "-f A=csc\n-f x=sv"));
  EXPECT_TRUE(is_parallel(spmv + "-f A=csc\n-f x=sv\n-s parallel A.p"));
  EXPECT_TRUE(is_parallel(spmv + "-f A=dia"));
}

/// What each product of a chain does is too little for a team, what all of them do isn't: one team does them.
TEST(PipelineTeams, neighbouring_loops_have_one_team) {
  auto teams = [](const std::string &expression, const std::string &formats, double entries) {
    Request request = read_request_text(expression + "\n" + formats);
    for (const std::string matrix : {"A", "B", "C"})
      for (const auto &[count, value] :
           schedule::Counts{{".M", 20000}, {".N", 20000}, {".NNZ", entries}, {".rowptr", entries / 20000}})
        request.counts[matrix + count] = value;
    const std::string text = emit::emit_c(compile(request).program);
    auto count = [&](const std::string &words) {
      int found = 0;
      for (std::size_t at = 0; (at = text.find(words, at)) != std::string::npos; ++at)
        ++found;
      return found;
    };
    return fmt::format("{} with {} loops, {} alone",
                       count("#pragma omp parallel") - count("omp parallel for"), count("#pragma omp for"),
                       count("#pragma omp parallel for"));
  };
  const std::string chain = "y(i) = A(i,j) * B(j,k) * C(k,l) * x(l)", csr = "-f A=csr\n-f B=csr\n-f C=csr";
  EXPECT_EQ(teams(chain, csr, 200000), "1 with 3 loops, 0 alone");
  EXPECT_EQ(teams(chain, csr, 60000), "0 with 0 loops, 0 alone");
  EXPECT_EQ(teams(chain, csr + "\n-s serial", 200000), "0 with 0 loops, 0 alone");
  EXPECT_EQ(teams("y(i) = A(i,j) * B(j,k) * x(k)", "-f A=csr\n-f B=csr", 200000), "1 with 2 loops, 0 alone");
  EXPECT_EQ(teams("y(i) = A(i,j) * x(j)", "-f A=csr", 200000), "0 with 0 loops, 0 alone");
  // A serial statement stands between the products.
  const std::string program = "tensor A(n, n), B(n, n), x(n), y(n), t; let w(i in [0, n)) = 0; "
                              "for i { for j { w(i) += A(i,j) * x(j); } } ";
  const std::string last = "for i { for j { y(i) += B(i,j) * w(j); } }";
  EXPECT_EQ(teams(program + last, "-f A=csr\n-f B=csr", 200000), "1 with 2 loops, 0 alone");
  EXPECT_EQ(teams(program + "t = 1; " + last, "-f A=csr\n-f B=csr", 200000), "0 with 0 loops, 0 alone");
}

/// A walk's state is of all iterations, and what threads append is joined by iterations: one thread does
/// both, and the plan says so. Another plan, that searches, may share them out.
TEST(PipelineTeams, a_loop_that_appends_and_walks_runs_in_one_thread) {
  const std::string kernel = "C(i,j) = A(i,j) * x(i)\n-f A=csr\n-f C=csr\n-f x=sv\n-s order i";
  const Compilation walks = compile_text(kernel + "; find x by seq");
  EXPECT_FALSE(walks.leaves[0].parallel || walks.leaves[0].plan.parallel);
  EXPECT_FALSE(parallel_loop(walks.program.body));
  const Compilation both = compile_text(kernel + "; chunk 3");
  EXPECT_FALSE(both.leaves[0].parallel || both.leaves[0].plan.parallel);
  ASSERT_EQ(both.leaves[0].plan.alternatives.size(), 1u);
  EXPECT_EQ(both.leaves[0].plan.alternatives[0].plan.parallel, 0u);
  ASSERT_TRUE(parallel_loop(both.program.body));
  EXPECT_EQ(parallel_loop(both.program.body)->parallel->chunk, 3);
  const Compilation searches = compile_text(kernel + "; parallel i; find x.p by binary");
  EXPECT_EQ(searches.leaves[0].plan.parallel, 0u);
  EXPECT_TRUE(parallel_loop(searches.program.body));
  const auto asked = [&] { return compile_text(kernel + "; parallel i; chunk 3"); };
  report::Diagnostic refused;
  EXPECT_FALSE(report::unless_refused(asked, &refused));
  EXPECT_EQ(refused.message, "the loop over `i` can't run in parallel: its iterations append to `C`, and one "
                             "walk over all of them finds `x.p`");
}
