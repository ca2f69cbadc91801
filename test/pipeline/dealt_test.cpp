// Entries that don't come in the order of their result: dealt to its segments where those of each segment do.
#include "layout_file.h"
#include "pipeline/request_text.h"
#include "pipeline/shipped_text.h"
#include "term/list.h"

#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::pipeline;
using namespace unravel::pipeline::test;
using unravel::test::LayoutFile;

namespace {

const std::string copied = "C(i,j) = A(i,j)\n";

/// What the statement that makes the entries does, and whether a list collects them before.
std::string way_of(const std::string &text) {
  const Compilation made = compile_text(text);
  const plan::LeafPlan &plan = made.leaves.back().plan;
  std::string way = made.combination.locals.empty() ? "" : "listed, ";
  if (plan.sorted) way += "sorted by " + term::to_text(plan.sorted->keys) + ", ";
  way += plan.is_dealt ? "dealt" : "appended";
  return way + (plan.is_distinct ? "" : ", added up");
}

} // namespace

TEST(Dealt, rows_become_columns_without_a_list) {
  EXPECT_EQ(way_of(copied + "-f A=csr\n-f C=csc"), "dealt");
  EXPECT_EQ(way_of(copied + "-f A=csc\n-f C=csr4"), "dealt");
  EXPECT_EQ(way_of(copied + "-f A=dcsr\n-f C=csc"), "dealt");
  EXPECT_EQ(way_of("C(i,j) = 2 * A(j,i) * d(i)\n-f A=csr\n-f C=csr"), "dealt");
  EXPECT_EQ(way_of("for i { for j { C(i,j) = A(i,j); } }\n-f A=coo\n-f C=csc"), "dealt");
}

/// Where an array has the ends of segments, these are set once all begin somewhere.
TEST(Dealt, ends_of_segments_are_set_behind) {
  const Compilation made = compile_text(copied + "-f A=csc\n-f C=csr4");
  const std::string text = loop::to_text(made.program.body, 0);
  const std::size_t dealt = text.find("C.col("), ends = text.find("C.pntre(");
  EXPECT_NE(ends, std::string::npos) << text;
  EXPECT_LT(dealt, ends) << text;
  EXPECT_NE(loop::to_text(compile_text(copied + "-f A=csr\n-f C=csr4").program).find(" appends C.NNZ at"),
            std::string::npos);
}

TEST(Dealt, what_comes_in_order_is_appended) {
  EXPECT_EQ(way_of(copied + "-f A=csr\n-f C=csr"), "appended");
  EXPECT_EQ(way_of(copied + "-f A=coo\n-f C=csr"), "appended");
}

/// Of one coordinate several may come, one right behind the other: the innermost mode is summed over.
TEST(Dealt, entries_of_one_coordinate_are_added_up) {
  EXPECT_EQ(way_of("C(i,k) = A(i,j,k) * x(j)\n-f A=csf\n-f C=csc"), "dealt, added up");
  EXPECT_EQ(way_of("C(i,j) = A(i,k) * B(k,j)\n-f A=csr\n-f B=csr\n-f C=csc"), "dealt, added up");
}

/// Only the keys behind the first one need a sort.
TEST(Dealt, lists_are_sorted_by_the_other_keys) {
  EXPECT_EQ(way_of(copied + "-f A=coo_unsorted\n-f C=csr"), "sorted by A.col(A.p), dealt");
  EXPECT_EQ(way_of(copied + "-f A=coo_dup\n-f C=csc"), "sorted by A.row(A.p), dealt, added up");
  EXPECT_EQ(way_of("C(i,j) = A(i,j) + A(j,i)\n-f A=csr\n-f C=csr"),
            "listed, sorted by w.col(w#4.p), dealt, added up");
}

/// A layout without segments of a position that is computed keeps the sort; so do walks, which can't be
/// visited twice.
TEST(Dealt, others_are_listed_and_sorted) {
  EXPECT_EQ(way_of(copied + "-f A=csr\n-f C=dcsc"),
            "listed, sorted by w.col(w#3.p), w.row(w#3.p), appended, added up");
  EXPECT_EQ(way_of("C(i,j) = A(i,j) * B(i,j)\n-f A=csr\n-f B=csr\n-f C=csc").substr(0, 6), "listed");
}

/// Without the order of the list's rows these are keys too; the tensor is the same.
TEST(Dealt, properties_decide_what_is_sorted) {
  EXPECT_EQ(way_of(copied + "-f A=coo\n-f C=csc"), "dealt");
  const LayoutFile weaker(without(shipped("coo"), "  property strictly increasing (row, col);\n"));
  EXPECT_EQ(way_of(copied + "-f A=" + weaker.path() + ":coo\n-f C=csc"),
            "sorted by A.row(A.p), dealt, added up");
}

/// By whole iterations of about equal work, where a layout tells it; entries that are added up, or sorted,
/// are dealt by one thread.
TEST(Dealt, threads_each_do_a_part) {
  const auto work_of = [](const std::string &text) -> std::string {
    const Compilation made = compile_text(text);
    const std::optional<plan::ThreadParts> &parts = made.leaves.back().plan.dealt_by_threads;
    EXPECT_EQ(made.leaves.back().parallel.has_value(), parts.has_value());
    return parts ? term::to_text(parts->work.before) : "one thread";
  };
  EXPECT_EQ(work_of(copied + "-f A=csr\n-f C=csc"), "i + A.rowptr(i)");
  EXPECT_EQ(work_of(copied + "-f A=coo\n-f C=csc"), "A.p");
  EXPECT_EQ(work_of(copied + "-f A=csr\n-f C=csc\n-s serial"), "one thread");
  EXPECT_EQ(work_of(copied + "-f A=coo_unsorted\n-f C=csr"), "one thread");
  EXPECT_EQ(work_of("C(i,k) = A(i,j,k) * x(j)\n-f A=csf\n-f C=csc"), "one thread");
}

/// Keys that lie in a range that a size tells are counted, if they aren't far more than the entries.
TEST(Dealt, keys_of_known_range_are_counted) {
  const auto text = [](const std::string &formats) {
    return loop::to_text(compile_text(copied + formats).program);
  };
  const std::string kept = text("-f A=coo_unsorted\n-f C=csr");
  EXPECT_NE(kept.find("if A.N <= 4*A.NNZ {"), std::string::npos) << kept;
  EXPECT_NE(kept.find("sort A.p.order by A.p.keys"), std::string::npos) << kept;
  const LayoutFile weaker(without(shipped("coo_unsorted"), "  property range col in [0, N);\n"));
  const std::string wide = text("-f A=" + weaker.path() + ":coo_unsorted\n-f C=csr");
  EXPECT_EQ(wide.find("if A.N <= 4*A.NNZ {"), std::string::npos) << wide;
  EXPECT_NE(wide.find("sort A.p.order by A.p.keys"), std::string::npos) << wide;
}
