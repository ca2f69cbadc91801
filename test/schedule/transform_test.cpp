// What transformations make of an iteration space, and what they refuse.
#include "schedule/transform.h"

#include "combination_text.h"
#include "print_trees.h"
#include "report/diagnostic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::schedule;

namespace {

parse::ScheduleTree tree_of(const std::string &text) {
  return parse::parse_schedule(std::make_shared<const text::Source>("-s", text));
}

combine::Combination spmv(const std::string &format = "csr") {
  return unravel::test::combine_text(
      unravel::test::read_combination_text("y(i) = A(i,j) * x(j)\n-f A=" + format));
}

/// What a schedule adds to the relation of the only leaf.
std::string added_by(const std::string &schedule, combine::Combination made = spmv()) {
  std::vector<term::Term> before = term::conjuncts(made.leaves.front().relation);
  transform(made, tree_of(schedule));
  std::string text;
  for (const term::Term &part : term::conjuncts(made.leaves.front().relation))
    if (std::find(before.begin(), before.end(), part) == before.end()) text += term::to_text(part) + "; ";
  return text;
}

std::string order_by(const std::string &schedule, const Order &original, combine::Combination made = spmv()) {
  transform(made, tree_of(schedule));
  std::vector<parse::Name> names;
  for (const std::string &name : original)
    names.push_back({name, {}});
  const combine::IterationSpace &space = made.leaves.front();
  return fmt::format("{}", fmt::join(complete_order(space, place_added(space, names)), ", "));
}

std::string refusal_of(const std::string &schedule) {
  try {
    combine::Combination made = spmv();
    transform(made, tree_of(schedule));
  } catch (const report::Error &error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST(Transform, adds_variables_with_their_values_and_bounds) {
  EXPECT_EQ(
      added_by("tile i by 4"),
      "0 <= i; i < A.M; 0 <= j; j < A.N; 4*i.tile <= i; i <= 4*i.tile + 3; 0 <= i.tile; 4*i.tile < A.M; ");
  EXPECT_EQ(added_by("skew j by 2*i"), "0 <= i; i < A.M; 0 <= j; j < A.N; 2*i + j = j.skew; 0 <= j.skew; "
                                       "j.skew + 3 <= 2*A.M + A.N; ");
  EXPECT_EQ(added_by("shift j by -1"),
            "0 <= i; i < A.M; 0 <= j; j < A.N; j = j.shift + 1; 0 <= j.shift + 1; j.shift + 2 <= A.N; ");
  EXPECT_EQ(added_by("bound j in [3, 7]"), "0 <= i; i < A.M; 0 <= j; j < A.N; 3 <= j; j <= 7; ");
}

TEST(Transform, tiles_of_positions_go_over_all_entries) {
  std::string added = added_by("tile A.p by 8");
  EXPECT_NE(added.find("0 <= A.p; A.p < A.NNZ; "), std::string::npos) << added;
  EXPECT_NE(added.find("8*A.p.tile < A.NNZ; "), std::string::npos) << added;
}

TEST(Transform, an_extent_becomes_a_number_everywhere) {
  combine::Combination made =
      unravel::test::combine_text(unravel::test::read_combination_text("Y(i,r) = A(i,j) * B(j,r)\n-f A=csr"));
  transform(made, tree_of("bound r = 16"));
  EXPECT_EQ(term::to_text(made.leaves.front().target.slot), "16*i + r");
  EXPECT_EQ(term::to_text(made.conditions.back().formula), "B.N = 16");
  EXPECT_EQ(made.conditions.back().message, "the kernel was made for 16 of index r");
}

TEST(Transform, added_variables_have_a_place_in_orders_that_do_not_mention_them) {
  const Order rows = {"i", "A.r", "A.p", "j", "x.a", "y.a"};
  EXPECT_EQ(order_by("tile j by 4", rows), "j.tile, i, A.r, y.a, A.p, j, x.a");
  EXPECT_EQ(order_by("tile i by 2, j by 4", rows), "i.tile, j.tile, i, A.r, y.a, A.p, j, x.a");
  EXPECT_EQ(order_by("split j by 4", rows), "i, A.r, y.a, j.split, A.p, j, x.a");
  EXPECT_EQ(order_by("split A.p by 4", rows), "i, A.r, y.a, A.p.split, A.p, j, x.a");
  EXPECT_EQ(order_by("tile A.p by 4", rows), "A.p.tile, i, A.r, y.a, A.p, j, x.a");
}

TEST(Transform, nothing_is_asked_of_loops_that_no_leaf_has) {
  auto left_of = [](const std::string &schedule, const std::vector<std::string> &indices) {
    return parse::to_text(without_empty_loops(tree_of(schedule), indices, spmv()));
  };
  // `k` is an index of the computation, i and j are left.
  const std::vector<std::string> indices = {"i", "j", "k"};
  for (const char *schedule :
       {"order k", "tile k by 4", "split k by 4; tile k.split by 2", "skew i by 2*k; unroll i.skew",
        "shift k by 1", "bound k in [0, 4)", "bound k = 4", "unroll k", "jam k by 2", "vectorise k",
        "parallel k static", "fuse i, k", "tile k by 4; order k.tile; parallel k.tile"})
    EXPECT_EQ(left_of(schedule, indices), "") << schedule;
  EXPECT_EQ(left_of("tile i by 4, k by 4; bound k = 4; bound j = 8; order k.tile, i.tile, k, i; unroll k, j",
                    indices),
            "tile i by 4; bound j = 8; order i.tile, i; unroll j");
  // Wavefronts of what carries nothing are refused, and so is what is no index.
  EXPECT_TRUE(without_empty_loops(tree_of("wavefront k packed"), indices, spmv()).wavefront);
  EXPECT_EQ(left_of("order k", {"i", "j"}), "order k");
  EXPECT_EQ(left_of("tile A.q by 4; unroll l", indices), "tile A.q by 4; unroll l");
}

TEST(Transform, refusals) {
  EXPECT_EQ(refusal_of("tile k by 4"),
            "-s:1:6: error: `k` is not a variable of this computation [unknown-variable]\n"
            "  1 | tile k by 4\n"
            "    |      ^\n"
            "  hint: its variables are i, j, A.r, A.p, x.a, y.a\n");
  EXPECT_EQ(refusal_of("skew j by k").substr(0, 60),
            "-s:1:11: error: `k` is not a variable of this computation [u");
  EXPECT_EQ(refusal_of("tile j by 4; tile j by 8"),
            "-s:1:19: error: the variable `j.tile` already exists [duplicate-name]\n"
            "  1 | tile j by 4; tile j by 8\n"
            "    |                   ^~~~~~\n"
            "  hint: transform `j.tile` instead\n");
  EXPECT_EQ(refusal_of("skew j by j"), "-s:1:11: error: `j` can't be skewed by itself [bad-transformation]\n"
                                       "  1 | skew j by j\n"
                                       "    |           ^\n"
                                       "  hint: skew it by another coordinate\n");
  EXPECT_EQ(refusal_of("bound j in [4, 4)"),
            "-s:1:7: error: the range [4, 4) is empty [bad-transformation]\n"
            "  1 | bound j in [4, 4)\n"
            "    |       ^~~~~~~~~~~\n"
            "  hint: a range contains its lower end: `bound j in [0, 64)`\n");
  EXPECT_EQ(refusal_of("bound A.p in [0, 4)"),
            "-s:1:7: error: `A.p` is not a coordinate [bad-transformation]\n"
            "  1 | bound A.p in [0, 4)\n"
            "    |       ^~~\n"
            "  hint: the coordinates are i, j\n");
  EXPECT_EQ(refusal_of("bound A.p = 4"),
            "-s:1:7: error: `A.p` has no extent of its own [bad-transformation]\n"
            "  1 | bound A.p = 4\n"
            "    |       ^~~\n"
            "  hint: only coordinates that are a subscript by themselves have one: write `bound r = 16` for "
            "the r of "
            "B(j,r)\n");
}
