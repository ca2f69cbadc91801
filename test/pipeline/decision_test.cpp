// What the compiler must decide: which loops run in parallel and why, what is found how, and that it does
// what a schedule says or refuses.
#include "layout_file.h"
#include "loop/walk.h"
#include "pipeline/request_text.h"
#include "pipeline/shipped_text.h"
#include "places.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>

using namespace unravel;
using namespace unravel::pipeline;
using namespace unravel::pipeline::test;
using unravel::test::LayoutFile;

namespace {

const std::string spmv = "y(i) = A(i,j) * x(j)\n";

/// The array that threads add to copies of.
std::string copied_by(const Compilation &made) {
  const loop::For *loop = parallel_loop(made.program.body);
  return loop ? loop->parallel->copied : "";
}

std::size_t count(const std::string &text, const std::string &what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

} // namespace

TEST(PipelineParallel, rows_of_csr) {
  Compilation made = compile_text(spmv + "-f A=csr");
  EXPECT_EQ(verdicts_of(made), "i: parallel, A.p: reduction");
  EXPECT_EQ(parallel_of(made), "i");
}

TEST(PipelineParallel, rows_of_dcsr_as_their_indices_rise_strictly) {
  Compilation made = compile_text(spmv + "-f A=dcsr");
  EXPECT_EQ(verdicts_of(made), "A.r: parallel, A.p: reduction");
  EXPECT_EQ(parallel_of(made), "A.r");
  EXPECT_EQ(made.leaves[0].verdicts[0].reason, "properties");

  LayoutFile weaker(without(shipped("dcsr"), "property strictly increasing rowidx;"));
  Compilation weak = compile_text(spmv + "-f A=" + weaker.path());
  EXPECT_EQ(verdicts_of(weak), "A.r: reduction, A.p: reduction");
  EXPECT_EQ(parallel_of(weak), "A.r");
  EXPECT_EQ(copied_by(weak), "y.val");
  EXPECT_EQ(copied_by(made), "");

  LayoutFile whole(shipped("dcsr"));
  EXPECT_EQ(verdicts_of(compile_text(spmv + "-f A=" + whole.path())), "A.r: parallel, A.p: reduction");
}

TEST(PipelineParallel, a_property_that_the_data_were_only_sampled_for_counts_for_nothing) {
  Request request = read_request_text(spmv + "-f A=dcsr");
  request.distrusted = {"A: strictly increasing rowidx"};
  EXPECT_EQ(verdicts_of(compile(request)), "A.r: reduction, A.p: reduction");
}

/// The hint of a refusal names the properties that it rests on, and no others.
TEST(PipelineRefusal, names_what_was_only_sampled) {
  const auto hint_of = [](const std::string &text, std::vector<std::string> distrusted) {
    Request request = read_request_text(text);
    request.distrusted = std::move(distrusted);
    try {
      compile_for_data(request, read_request(request));
    } catch (const report::Error &error) {
      const std::string &hint = error.diagnostic().hint;
      const std::size_t named = hint.find("it isn't refused where");
      return named == std::string::npos ? "another one" : hint.substr(named);
    }
    return std::string("none");
  };
  const std::string greatest = "y(i) = A(i,j) in max.*\n-f A=", rows = "A: strictly increasing rowidx",
                    columns = "A: strictly increasing col within rowptr", both = "` and `",
                    end = "`, which was only sampled",
                    begin = "it isn't refused where the data are known to have `";
  EXPECT_EQ(hint_of(greatest + "dcsr", {}), "none");
  EXPECT_EQ(hint_of(greatest + "dcsr", {"A: range col in [0, N)"}), "none");
  EXPECT_EQ(hint_of(greatest + "dcsr", {columns}), begin + columns + end);
  EXPECT_EQ(hint_of(greatest + "dcsr", {"A: range col in [0, N)", columns}), begin + columns + end);
  EXPECT_EQ(hint_of(greatest + "dcsr", {rows, columns}), begin + rows + both + columns + end);
  EXPECT_EQ(hint_of(greatest + "coo_dup", {"A: range col in [0, N)"}), "another one");
}

/// Two entries may have one row: threads add to copies of the result.
TEST(PipelineParallel, entries_of_coo_are_not_without_copies) {
  for (const char *layout : {"coo", "coo_unsorted", "coo_dup", "@coo_rows", "@coo_down", "@coo_weak"}) {
    Compilation made = compile_text(spmv + "-f A=" + layout);
    EXPECT_EQ(verdicts_of(made), "A.p: reduction") << layout;
    EXPECT_EQ(parallel_of(made), "A.p") << layout;
    EXPECT_EQ(copied_by(made), "y.val") << layout;
    EXPECT_EQ(parallel_of(compile_text(spmv + "-f A=" + layout + "\n-s serial")), "") << layout;
  }
}

/// Both halves of a symmetric matrix are summed up in one loop. Where x is sparse, how much is added isn't
/// known beforehand; a dense loop inside may be parallel by itself.
TEST(PipelineParallel, loops_over_columns_add_to_copies) {
  Compilation both = compile_text(spmv + "-f A=symmetric_csr");
  EXPECT_EQ(copied_by(both), "y.val");
  EXPECT_EQ(both.program.body.size(), 2u); // one clears
  EXPECT_EQ(copied_by(compile_text(spmv + "-f A=csc")), "y.val");
  EXPECT_EQ(copied_by(compile_text("y(i) += A(i,j) * x(j)\n-f A=csc")), "y.val");
  EXPECT_EQ(copied_by(compile_text(spmv + "-f A=csc\n-f x=sv")), "");
  EXPECT_EQ(copied_by(compile_text(spmv + "-f A=dia")), "");
  EXPECT_EQ(copied_by(compile_text("s = A(i,j) * x(j)\n-f A=coo")), "");
  const std::string mttkrp = "Y(j,r) = T(i,j,k) * B(i,r) * C(k,r)\n-f T=csf3\n";
  EXPECT_EQ(copied_by(compile_text(mttkrp)), "Y.val");
  EXPECT_EQ(copied_by(compile_text(mttkrp + "-s parallel r")), "");
}

TEST(PipelineParallel, one_entry_per_row_in_any_order_is) {
  Compilation made = compile_text(spmv + "-f A=@one_per_row");
  EXPECT_EQ(verdicts_of(made), "A.p: parallel");
  EXPECT_EQ(parallel_of(made), "A.p");
  // Not when the result runs over the columns.
  EXPECT_EQ(verdicts_of(compile_text("y(j) = A(i,j) * x(i)\n-f A=@one_per_row")), "A.p: reduction");
}

std::string text_with(const std::string &text, double mean) {
  Request request = read_request_text(text);
  request.counts = {{"A.M", 1e6}, {"A.N", 1e6}, {"A.NNZ", mean * 1e6}, {"A.rowptr", mean}};
  return loop::to_text(compile(request).program);
}

/// Rows' mean length, where it is known, decides about the form of their sums; else the kernel does.
TEST(PipelineDecision, long_rows_take_masked_steps_and_empty_ones_are_skipped) {
  auto has = [](const std::string &text, const char *word) { return text.find(word) != std::string::npos; };
  std::string open_text = loop::to_text(compile_text(spmv + "-f A=csr").program);
  EXPECT_TRUE(has(open_text, " masked 7*A.M <= A.NNZ uneven A.rowptr reads_on"));
  EXPECT_TRUE(has(text_with(spmv + "-f A=csr", 20), " masked true reads_on"));
  EXPECT_TRUE(has(text_with(spmv + "-f A=csr", 3), " masked false uneven A.rowptr reads_on"));
  EXPECT_FALSE(has(text_with(spmv + "-f A=csr", 3), " together"));
  EXPECT_TRUE(has(text_with(spmv + "-f A=csr", 0.25), " together 32"));
}

/// The counts of the data decide already when the kernel is made.
/// The data decide between orders of loops, but not against a loop that the schedule names.
TEST(PipelineDecision, loops_that_the_schedule_names_are_loops_whatever_the_data) {
  auto outermost = [](const std::string &schedule) {
    Request request = read_request_text("Y(i,r) = A(i,j) * X(j,r)\n-f A=coo\n-s " + schedule);
    request.counts = {{"A.M", 20}, {"A.N", 20}, {"A.NNZ", 40}, {"X.N", 3}};
    return compile(request).leaves.at(0).order.at(0);
  };
  EXPECT_EQ(outermost("serial"), "i");
  EXPECT_EQ(outermost("parallel A.p"), "A.p");
  EXPECT_EQ(outermost("unroll A.p by 2"), "A.p");
  EXPECT_EQ(outermost("jam A.p by 2"), "A.p");
  EXPECT_EQ(outermost("parallel r"), "i");
}

/// One entry in x: looking for it in each row costs less than testing every entry for a mark.
TEST(PipelineDecision, the_data_may_say_that_not_even_marks_pay) {
  auto finds = [](double entries, double row) {
    Request request = read_request_text(spmv + "-f A=csr\n-f x=sv");
    request.counts = {
        {"A.M", 5000}, {"A.N", 5000}, {"A.NNZ", 5000 * row}, {"A.rowptr", row}, {"x.NNZ", entries}};
    return finds_of(compile(request));
  };
  EXPECT_EQ(finds(1, 60), "A.p: map"); // and by search or walk for few targets, as they are here
  EXPECT_EQ(finds(50, 60), "x.p: map");
  EXPECT_EQ(finds(1, 5), "x.p: map");
}

/// Rows of a band reach over little of the columns: almost every target lies outside of almost every row.
TEST(PipelineDecision, few_targets_are_searched_for_in_rows_that_reach_not_far) {
  Request request = read_request_text(spmv + "-f A=csr\n-f x=sv");
  request.counts = {{"A.M", 1e4},           {"A.N", 1e4}, {"A.NNZ", 6e5}, {"A.rowptr", 60},
                    {"A.col.reach", 0.006}, {"x.M", 1e4}, {"x.NNZ", 5}};
  EXPECT_EQ(finds_of(compile(request)), "A.p: binary");
  request.counts["A.col.reach"] = 0.95;
  EXPECT_EQ(finds_of(compile(request)), "x.p: map");
}

/// What loops say is compiled as what index notation says: the same plans, the same loops.
TEST(PipelineDecision, loops_are_compiled_as_the_assignment_that_they_are) {
  const struct {
    std::string assignment, program, formats;
  } cases[] = {
      {"y(i) = A(i,j) * x(j)", "for i { y(i) = 0; for j { y(i) += A(i,j) * x(j); } }", "-f A=csr"},
      {"y(i) = A(i,j) * x(j)", "for i { y(i) = 0; } for j { for i { y(i) += A(i,j) * x(j); } }", "-f A=csc"},
      {"y(i) = A(i,j) * x(j)", "for i { let s = 0; for j { s += A(i,j) * x(j); } y(i) = s; }",
       "-f A=csr\n-f x=sv"},
      {"s = L(i,j) * L(j,k) * L(i,k)",
       "tensor s; s = 0; for i { for j { for k { s += L(i,j) * L(j,k) * L(i,k); } } }", "-f L=csr"},
      {"D(i,j) += S(i,j) * U(i,r) * V(j,r)",
       "for i { for j { for r { D(i,j) += S(i,j) * U(i,r) * V(j,r); } } }", "-f S=dcsr"},
  };
  auto loops_of = [](const std::string &text) {
    const std::string loops = loop::to_text(compile_text(text).program.body);
    // Of a square matrix either size may be named.
    return std::regex_replace(loops, std::regex("L\\.N\\b"), "L.M");
  };
  for (const auto &[assignment, program, formats] : cases)
    EXPECT_EQ(loops_of(program + "\n" + formats), loops_of(assignment + "\n" + formats)) << program;
}

/// Rows of two bands lie together: that each reaches over little of the columns says nothing.
TEST(PipelineDecision, rows_of_bands_meet_rows_of_bands) {
  for (const char *text :
       {"y(i) = A(i,j) * B(i,j)\n-f A=csr\n-f B=csr", "s = A(i,j) * A(j,k) * A(i,k)\n-f A=csr"}) {
    Request request = read_request_text(text);
    for (const char *tensor : {"A", "B"})
      for (const auto &[count, value] :
           schedule::Counts{{".M", 2e4}, {".N", 2e4}, {".NNZ", 3.4e5}, {".rowptr", 17}})
        request.counts[tensor + count] = value;
    const std::string unknown = finds_of(compile(request));
    request.counts["A.col.reach"] = request.counts["B.col.reach"] = 0.0009;
    EXPECT_EQ(finds_of(compile(request)), unknown) << text;
  }
}

TEST(PipelineParallel, threads_add_up_one_sum) {
  for (const char *formats : {"-f a=sv\n-f b=sv", "-f a=sv", ""}) {
    Compilation made = compile_text(std::string("t = a(i) * b(i)\n") + formats);
    const loop::For *loop = parallel_loop(made.program.body);
    ASSERT_NE(loop, nullptr) << formats;
    EXPECT_EQ(loop->parallel->sum, "t.sum");
  }
  Compilation rows = compile_text("t = A(i,j) * B(i,j)\n-f A=csr\n-f B=csr");
  EXPECT_EQ(verdicts_of(rows), "i: reduction, A.p: reduction");
  EXPECT_EQ(parallel_of(rows), "i");
  // Each row adds to an element of its own choice: no one sum.
  Compilation elements = compile_text("y(j) = A(i,j) * x(i)\n-f A=coo");
  EXPECT_EQ(parallel_loop(elements.program.body)->parallel->sum, "");
  EXPECT_EQ(copied_by(elements), "y.val");
}

TEST(PipelineParallel, listed_rows_in_any_order_are_where_they_differ) {
  EXPECT_EQ(verdicts_of(compile_text(spmv + "-f A=@dcsr_mixed")), "A.r: parallel, A.p: reduction");
}

TEST(PipelineParallel, columns_of_a_row_only_where_they_differ) {
  // Scattered into y: two entries of a row go to the same place unless columns differ.
  const std::string transposed = "y(j) = A(i,j) * x(i)\n-f A=";
  EXPECT_EQ(verdicts_of(compile_text(transposed + "csr")), "i: reduction, A.p: parallel");
  EXPECT_EQ(verdicts_of(compile_text(transposed + "@csr_down")), "i: reduction, A.p: parallel");
  EXPECT_EQ(verdicts_of(compile_text(transposed + "@csr_once")), "i: reduction, A.p: parallel");
  EXPECT_EQ(verdicts_of(compile_text(transposed + "@csr_from_one")), "i: reduction, A.p: parallel");
  EXPECT_EQ(verdicts_of(compile_text(transposed + "@csr_any")), "i: reduction, A.p: reduction");
  EXPECT_EQ(verdicts_of(compile_text(transposed + "@csr_weak")), "i: reduction, A.p: reduction");
  EXPECT_EQ(verdicts_of(compile_text(transposed + "@csr_even")), "i: reduction, A.p: reduction");
}

TEST(PipelineParallel, a_find_state_shared_by_the_iterations_leads_to_chunks_with_a_seed_each) {
  Compilation made = compile_text("y(i) = A(i,j) * B(i,j)\n-f A=dcsr\n-f B=dcsr\n-s chunk 7\n--find B=seq");
  EXPECT_EQ(parallel_of(made), "A.r");
  EXPECT_EQ(finds_of(made), "B.r: sequential, B.p: sequential");
  const loop::For *chunks = parallel_loop(made.program.body);
  ASSERT_NE(chunks, nullptr);
  EXPECT_EQ(chunks->variable, "A.r.chunk");
  EXPECT_EQ(chunks->parallel->chunk, 1);
  EXPECT_EQ(term::to_text(chunks->upper), "floor((A.NR + 6) / 7)");
  // The seed: where the first target of the chunk is found, by a search within the chunk's own scope.
  std::string body = loop::to_text(chunks->body);
  EXPECT_EQ(count(body, "# find B.r: binary search"), 1u) << body;
  EXPECT_EQ(count(body, "B.rowidx(B.r.middle) < A.rowidx(A.r.from)"), 1u) << body;
  EXPECT_EQ(count(loop::to_text(made.program.body), "var B.r = 0"), count(body, "var B.r = 0"));
}

TEST(PipelineParallel, no_chunks_without_a_parallel_loop_or_a_shared_state) {
  Compilation serial = compile_text("y(i) = A(i,j) * B(i,j)\n-f A=dcsr\n-f B=dcsr\n-s serial");
  EXPECT_EQ(parallel_loop(serial.program.body), nullptr);
  EXPECT_EQ(finds_of(serial), "B.r: sequential, B.p: map");
  Compilation rows = compile_text("y(i) = A(i,j) * B(i,j)\n-f A=csr\n-f B=csr");
  ASSERT_NE(parallel_loop(rows.program.body), nullptr);
  EXPECT_EQ(parallel_loop(rows.program.body)->variable, "i");
  EXPECT_EQ(parallel_loop(rows.program.body)->parallel->chunk, 1);
}

TEST(PipelineSchedule, order) {
  const std::string product = "C(i,j) = A(i,k) * B(k,j)\n-f A=csr\n";
  for (const char *order : {"i, A.p, j", "j, i, A.p", "i, j, A.p"}) {
    Compilation made = compile_text(product + "-s order " + order);
    std::vector<std::string> wanted, loops;
    std::istringstream words(order);
    for (std::string word; words >> word;)
      wanted.push_back(word.substr(0, word.find(',')));
    for (const scan::Level &level : made.leaves[0].plan.nest.levels)
      if (level.kind == scan::Level::Kind::Loop) loops.push_back(level.variable);
    EXPECT_EQ(loops, wanted);
  }
}

TEST(PipelineSchedule, serial_and_chunk_and_parallel) {
  EXPECT_EQ(parallel_of(compile_text(spmv + "-f A=csr\n-s serial")), "");
  Compilation chunk = compile_text(spmv + "-f A=csr\n-s chunk 5");
  ASSERT_NE(parallel_loop(chunk.program.body), nullptr);
  EXPECT_EQ(parallel_loop(chunk.program.body)->parallel->chunk, 5);
  const std::string product = "C(i,j) = A(i,k) * B(k,j)\n-f A=csr\n";
  EXPECT_EQ(parallel_of(compile_text(product)), "i");
  EXPECT_EQ(parallel_of(compile_text(product + "-s parallel j")), "j");
  EXPECT_EQ(parallel_of(compile_text(product + "-s order j, i, A.p; parallel i")), "i");
}

TEST(PipelineSchedule, find) {
  const std::string sparse = spmv + "-f A=csr\n-f x=sv\n";
  EXPECT_EQ(finds_of(compile_text(sparse)), "x.p: map");
  EXPECT_EQ(finds_of(compile_text(sparse + "-s find x by binary")), "x.p: binary");
  EXPECT_EQ(finds_of(compile_text(sparse + "--find x=binary")), "x.p: binary");
  EXPECT_EQ(finds_of(compile_text(sparse + "--find x.p=scan")), "x.p: scan");
  EXPECT_EQ(finds_of(compile_text(sparse + "--find x=seq")), "x.p: sequential");
  EXPECT_EQ(finds_of(compile_text(sparse + "--find x=gallop")), "x.p: galloping");
  EXPECT_EQ(finds_of(compile_text(sparse + "--find x=map")), "x.p: map");
  EXPECT_EQ(finds_of(compile_text(sparse + "--find x=hash")), "x.p: hash");
  EXPECT_EQ(finds_of(compile_text(sparse + "--find x=auto")), "x.p: map");
}

TEST(PipelineSchedule, weak_properties_leave_weak_finds) {
  // In the order that asks for the vector's positions.
  const std::string rows = "-s order i, A.p, x.p\n";
  const std::string sparse = spmv + rows + "-f A=csr\n-f x=";
  EXPECT_EQ(finds_of(compile_text(sparse + "sv")), "x.p: map");
  EXPECT_EQ(finds_of(compile_text(sparse + "@sv_weak")), "x.p: binary");
  EXPECT_EQ(finds_of(compile_text(sparse + "@sv_any")), "x.p: hash");
  EXPECT_EQ(finds_of(compile_text(sparse + "@sv_once")), "x.p: map");
  EXPECT_EQ(finds_of(compile_text(spmv + rows + "-f A=@csr_any\n-f x=sv")), "x.p: map");
  EXPECT_EQ(finds_of(compile_text(spmv + rows + "-f A=@csr_any\n-f x=@sv_weak")), "x.p: binary");
}

/// Without the range of the indices there is no map: an order decides again.
TEST(PipelineSchedule, a_map_needs_the_range_of_its_keys) {
  auto find_in = [](const std::string &order) {
    std::string text = shipped("sv");
    LayoutFile file(without(text, "property range idx in [0, M);"));
    Compilation made = compile_text(spmv + "-s order i, A.p, x.p\n-f A=csr\n-f x=" + file.path() + order);
    return finds_of(made);
  };
  EXPECT_EQ(find_in(""), "x.p: binary");
  EXPECT_EQ(find_in("\n--find x=binary"), "x.p: binary");
  LayoutFile file(without(shipped("sv"), "property range idx in [0, M);"));
  EXPECT_NE(message_of(spmv + "-s order i, A.p, x.p\n-f A=csr\n-f x=" + file.path() + "\n--find x=map")
                .find("`x.p` can't be found by map: no property says how far the keys range"),
            std::string::npos);
}

/// A hash map, too; but each row would go through all of x to be spared that of x.
TEST(PipelineSchedule, a_scan_is_avoided_by_another_order) {
  Compilation made = compile_text("y(i) = A(i,j) * B(i,j)\n-f A=csr\n-f B=coo_unsorted");
  EXPECT_EQ(finds_of(made), "A.p: binary");
  Compilation hashed = compile_text(spmv + "-f A=csr\n-f x=@sv_any");
  EXPECT_EQ(finds_of(hashed), "x.p: hash");
  EXPECT_EQ(parallel_of(hashed), "i");
}

/// A lemma goes with the property that it was derived from.
TEST(PipelineFinds, what_the_data_were_only_sampled_for_proves_nothing) {
  Request request = read_request_text(spmv + "-s order i, A.p, x.p\n-f A=csr\n-f x=@unusual/sv_neighbours");
  EXPECT_EQ(finds_of(compile(request)), "x.p: map");
  request.distrusted = {"x: range idx in [0, M)"};
  EXPECT_EQ(finds_of(compile(request)), "x.p: binary");
  request.distrusted = {"x: forall p : 1 <= p and p < NNZ => idx(p - 1) < idx(p)"};
  EXPECT_EQ(finds_of(compile(request)), "x.p: hash");
}

/// For tests and measurements: one of the plans alone.
TEST(PipelineDecision, only_one_alternative) {
  Request request = read_request_text(spmv + "-f A=csr\n-f x=sv");
  std::size_t count = compile(request).leaves[0].plan.alternatives.size();
  ASSERT_GT(count, 1u);
  for (std::size_t number = 0; number <= count; ++number) {
    request.only_alternative = number;
    Compilation made = compile(request);
    const plan::LeafPlan &plan = made.leaves[0].plan;
    EXPECT_EQ(plan.alternatives.size(), number < count ? 1u : 0u);
    for (const plan::Alternative &only : plan.alternatives)
      EXPECT_EQ(only.condition, term::truth());
    for (const loop::WorkspaceArray &array : made.program.workspace)
      EXPECT_EQ(term::to_text(array.extent).find("268435456"), std::string::npos);
  }
}

/// What was read of a request is used as it is: a user's layout file is read and checked once.
TEST(PipelineDecision, layouts_are_read_once) {
  Request request;
  request.expression = "y(i) = A(i,j) * x(j)";
  request.formats = {{"A", "csr"}, {"x", "sv"}};
  const std::string expected = loop::to_text(compile(request).program);
  Front front;
  {
    LayoutFile file(shipped("sv"));
    request.formats["x"] = file.path();
    front = read_request(request);
  }
  EXPECT_THROW(compile(request), report::Error); // the file is gone
  Compilation compiled = compile(request, front);
  EXPECT_EQ(loop::to_text(compiled.program), expected);
  const auto read = std::ranges::find(compiled.stages, "layouts and computation", &Stage::name);
  ASSERT_NE(read, compiled.stages.end());
  EXPECT_GT(read->milliseconds, 0);
}

/// The sum of the quotients isn't the quotient by the sum; of dividends it is.
TEST(PipelineRefusal, divisors_that_are_stored_twice) {
  LayoutFile twice("layout twice(i: M) {\n  value val[M, 2];\n"
                   "  stored { [p, q] -> [i] : 0 <= p < M and 0 <= q < 2 and i = p } at val(p, q);\n}\n");
  EXPECT_NE(message_of("y(i) = x(i) / d(i)\n-f d=" + twice.path()).find("may be stored several times"),
            std::string::npos);
  EXPECT_EQ(message_of("y(i) = x(i) / d(i)\n-f x=" + twice.path()), "no error");
  EXPECT_EQ(message_of("for i { for j { y(i) += A(i,j) / d(j); } }\n-f A=coo_dup"), "no error");
}

/// The parallel loop that adds to it goes on without a sum.
TEST(PipelineDecision, sums_that_nothing_reads) {
  EXPECT_EQ(message_of("tensor A(n,n), a, t; t += a; let s = 0; "
                       "for k in [0,n) { for j in [0,n) { s += A(j,j) + a; } }\n-f A=csr"),
            "no error");
}

TEST(PipelineRefusal, orders) {
  EXPECT_EQ(message_of(spmv + "-f A=csr\n-s order i, q"),
            "-s:1:10: error: `q` is not a variable of this computation [unknown-variable]\n"
            "  1 | order i, q\n"
            "    |          ^\n"
            "  hint: its variables are i, j, A.r, A.p, x.a, y.a\n");
  // Values have an array whose extent bounds positions; a pattern has none.
  EXPECT_EQ(message_of(spmv + "-f A=pattern_csr\n-s order A.p, i"),
            "-s:1:7: error: `A.p` is not bounded by the variables before it [not-bounded-here]\n"
            "  1 | order A.p, i\n"
            "    |       ^~~\n"
            "  hint: its bounds or the arrays in them need variables that come later in this order\n");
  EXPECT_EQ(message_of(spmv + "-f A=csr\n-s order A.p, i"), "no error");
}

TEST(PipelineRefusal, parallel_loops) {
  // The example is the prover's choice: any two iterations of the loop that meet in an entry of the result.
  const std::string refusal =
      "-s:1:10: error: the loop over `A.p` can't run in parallel: it carries a reduction [not-parallel]\n"
      "  1 | parallel A.p\n"
      "    |          ^~~\n"
      "  hint: two iterations that conflict: ";
  // Copies of the result are for outermost loops that find nothing: walks have states, and maps are filled.
  for (const std::string &text : {spmv + "-f A=csr", spmv + "-f A=coo\n-f x=sv\n-s order A.p, i, j"}) {
    std::string message = message_of(text + "\n-s parallel A.p");
    EXPECT_EQ(message.substr(0, refusal.size()), refusal);
    EXPECT_NE(message.find("A.p = 0, A.p' = 1"), std::string::npos) << message;
  }
  EXPECT_EQ(message_of(spmv + "-f A=coo\n-s parallel A.p"), "no error");
  EXPECT_EQ(message_of(spmv + "-f A=csr\n-s parallel k"),
            "-s:1:10: error: there is no loop over `k` [unknown-variable]\n"
            "  1 | parallel k\n"
            "    |          ^\n"
            "  hint: the loops are i, A.p\n");
}

TEST(PipelineRefusal, parallel_loops_of_joined_statements) {
  const std::string sum = "C(i,j) = A(i,j) + B(i,j)\n-f A=csr\n-f B=csr\n-s parallel i; parallel ";
  EXPECT_EQ(message_of(sum + "l"), "-s:1:22: error: there is no loop over `l` [unknown-variable]\n"
                                   "  1 | parallel i; parallel l\n"
                                   "    |                      ^\n"
                                   "  hint: the loops are i, A.p, B.p\n");
  EXPECT_EQ(message_of(sum + "B.p"), "-s:1:22: error: of the loops over `i` and `B.p` one stands inside the "
                                     "other: only one runs in parallel [not-parallel]\n"
                                     "  1 | parallel i; parallel B.p\n"
                                     "    |                      ^~~\n"
                                     "  hint: keep one of them\n");
}

TEST(PipelineRefusal, orders_that_repeat) {
  EXPECT_EQ(message_of(spmv + "-f A=csr\n-s order i, i"),
            "-s:1:10: error: `i` is already in the order [duplicate-name]\n"
            "  1 | order i, i\n"
            "    |          ^\n"
            "  hint: name each variable once\n");
}

/// What is stored below the diagonal has no entry on it: nothing is left but to clear the result.
TEST(PipelineDecision, an_empty_iteration_space_has_no_leaves) {
  pipeline::Request request;
  request.expression = "t = A(i,i) * v(i)";
  request.formats = {{"A", unravel::test::source_folder() + "/test/layouts/odd.layout:below"}};
  pipeline::Compilation compilation = pipeline::compile(request);
  EXPECT_TRUE(compilation.leaves.empty());
  ASSERT_EQ(compilation.program.body.size(), 1U);
}

TEST(PipelineRefusal, formats) {
  EXPECT_EQ(
      message_of(spmv + "-f B=csr"),
      "error: `-f B=csr`: the expression has no tensor `B` [unknown-tensor]\n  hint: it has `y`, `A`, `x`\n");
  EXPECT_NE(
      message_of(spmv + "-f y=listed")
          .find("coordinates can't be packed into layout `listed`: its relation doesn't determine array "
                "`map` [cannot-pack]\n"),
      std::string::npos);
  EXPECT_EQ(message_of(spmv + "-f x=like:A"),
            "-f x:1:1: error: `x` is an operand: it has arrays of its own [bad-structure]\n"
            "  1 | like:A\n"
            "    | ^~~~~~\n"
            "  hint: `like:` is for the result; write -f x=LAYOUT\n");
}

std::string verdicts_like(const std::string &expression, const std::string &operand,
                          const std::string &layout) {
  std::string result = expression.substr(0, expression.find('('));
  return verdicts_of(
      compile_text(expression + "\n-f " + operand + "=" + layout + "\n-f " + result + "=like:" + operand));
}

/// Each position has a slot of its own, also where several stand for one coordinate.
TEST(PipelineStructure, positions_are_parallel) {
  const std::string scaled = "D(i,j) = S(i,j) * x(j)", sampled = "D(i,j) = S(i,j) * A(i,k) * B(j,k)";
  EXPECT_EQ(verdicts_like(scaled, "S", "csr"), "i: parallel, S.p: parallel");
  EXPECT_EQ(verdicts_like(scaled, "S", "coo"), "S.p: parallel");
  EXPECT_EQ(verdicts_like(scaled, "S", "coo_dup"), "S.p: parallel");
  EXPECT_EQ(verdicts_like(sampled, "S", "csr"), "i: parallel, S.p: parallel, k: reduction");
  EXPECT_EQ(verdicts_like(sampled, "S", "dcsr"), "S.r: parallel, S.p: parallel, k: reduction");
  EXPECT_EQ(verdicts_like("D(i,j) = A(i,j,k) * v(k)", "A", "csf3"),
            "A.r: parallel, A.f: parallel, A.p: reduction");
  EXPECT_EQ(verdicts_like("D(i,j,r) = A(i,j,k) * U(k,r)", "A", "csf3"),
            "A.r: parallel, A.f: parallel, A.p: reduction, r: parallel");
}

TEST(PipelineStructure, slots_are_told_apart_by_properties_that_are_trusted) {
  Request request = read_request_text("D(i,j) = S(i,j) * x(j)\n-f S=csr\n-f D=like:S");
  request.distrusted = {"S: range col in [0, N)"};
  EXPECT_EQ(compile(request).structure, "S");
  request.distrusted = {"S: increasing rowptr"};
  EXPECT_THROW(compile(request), report::Error);
}

TEST(PipelinePieces, what_is_stored_on_one_side_and_meant_on_the_other_has_no_leaf) {
  const std::string twice = "s = A(i,j) * B(i,j)\n";
  // Lower by lower and mirrored by mirrored; not lower by mirrored.
  EXPECT_EQ(compile_text(twice + "-f A=symmetric_csr\n-f B=symmetric_csr").leaves.size(), 2u);
  EXPECT_EQ(compile_text(twice + "-f A=skew_csr\n-f B=skew_csr").leaves.size(), 2u);
  EXPECT_EQ(compile_text(twice + "-f A=symmetric_csr\n-f B=csr").leaves.size(), 2u);
}

/// Each leaf has a sum, or a state, of its own, though both have the same tensors.
TEST(PipelinePieces, leaves_declare_their_own_names) {
  for (const char *other : {"csr", "coo", "dcsr", "lower_diagonal"}) {
    Compilation made = compile_text(std::string("s = A(i,j) * B(i,j)\n-f A=lower_diagonal\n-f B=") + other);
    EXPECT_EQ(made.leaves.size(), 2u);
  }
  std::string text = loop::to_text(compile_text("s = A(i,j) * B(i,j)\n-f A=symmetric_csr\n-f B=csr").program);
  EXPECT_NE(text.find("s.sum_2"), std::string::npos) << text;
}

/// The column of a slot is known once the row is: it is read, not searched among all columns.
TEST(PipelineOrder, arrays_are_read_where_their_arguments_follow) {
  for (const char *layout : {"sell<8>", "ell", "bcsr<3,3>", "warp24"}) {
    Compilation made = compile_text(spmv + "-f A=" + layout);
    for (const scan::Level &level : made.leaves.at(0).plan.nest.levels)
      EXPECT_FALSE(level.kind == scan::Level::Kind::Loop && level.variable == "j") << layout;
  }
}

/// Slices of rows in an order of their own: parallel because no two rows are the same, sums in lanes.
TEST(PipelineOrder, rows_in_an_order_of_their_own) {
  Compilation made = compile_text(spmv + "-f A=sellcs<8>");
  EXPECT_EQ(verdicts_of(made), "A.b: parallel, A.q: reduction, A.k: parallel");
  EXPECT_EQ(parallel_of(made), "A.b");
  EXPECT_EQ(made.leaves[0].verdicts[0].reason, "properties");
  EXPECT_NE(loop::to_text(made.program).find("lanes {"), std::string::npos) << loop::to_text(made.program);
  LayoutFile any(without(shipped("sellcs"), "  property injective row;\n"));
  EXPECT_EQ(verdicts_of(compile_text(spmv + "-f A=" + any.path() + ":sellcs<8>")).substr(0, 14),
            "A.b: reduction");
}

/// A row is found by a map of `row`, filled once; its slice and lane follow.
TEST(PipelineOrder, rows_in_an_order_of_their_own_are_looked_up) {
  for (const char *expression : {"C(i,j) = A(i,k) * B(k,j)\n-f A=csr\n-f B=sellcs<8>",
                                 "s = A(i,j) * B(i,j)\n-f A=sellcs<8>\n-f B=sellcs<4>"}) {
    Compilation made = compile_text(expression);
    bool looked_up = false;
    for (const scan::Level &level : made.leaves.at(0).plan.nest.levels) {
      looked_up = looked_up || (level.kind == scan::Level::Kind::Find && level.variable == "B.k");
      EXPECT_FALSE(level.kind == scan::Level::Kind::Loop && level.variable == "B.b") << expression;
    }
    EXPECT_TRUE(looked_up) << expression;
  }
}
