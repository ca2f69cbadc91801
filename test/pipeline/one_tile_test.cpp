// A tiled kernel has the loops without tiles, too, for data that lie in one tile: when it has them, and that
// nothing is lost with them. What they compute is tested with all other transformations (test/run).
#include "pipeline/request_text.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace unravel;
using namespace unravel::pipeline;
using namespace unravel::pipeline::test;

namespace {

const std::string spmm = "Y(i,r) = A(i,j) * B(j,r)\n-f A=csr\n";
const std::string sddmm = "D(i,j) = A(i,j) * X(i,r) * B(j,r)\n-f A=csr\n-f D=like:A\n";

/// When the loops without tiles are executed; empty where there are none.
std::string condition(const std::string &text) {
  Compilation made = compile_text(text);
  const Leaf &leaf = made.leaves.at(0);
  if (!leaf.verdicts_of_untiled) return "";
  EXPECT_EQ(leaf.plan.alternatives.size(), 1u);
  EXPECT_EQ(leaf.plan.split, 0u);
  return term::to_text(leaf.plan.alternatives.at(0).condition);
}

} // namespace

TEST(OneTile, is_executed_without_tiles) {
  EXPECT_EQ(condition(spmm + "-s tile j by 4096"), "A.N <= 4096");
  EXPECT_EQ(condition(spmm + "-s tile i by 16, j by 32"), "A.M <= 16 and A.N <= 32");
  EXPECT_EQ(condition(spmm + "-s tile j by 32; tile j.tile by 4"), "A.N <= 32");
  EXPECT_EQ(condition(spmm + "-s tile j by 32; order j.tile, r, i, A.p; serial"), "A.N <= 32");
  EXPECT_EQ(condition(spmm + "-s tile j by 32\n--find A.p=binary"), "A.N <= 32");
  // Other alternatives are looked for inside of i, where there are none.
  EXPECT_EQ(condition("s = A(i,j) * B(i,j) * C(i,j)\n-f A=csr\n-f B=coo\n-f C=csr\n-s tile i by 2"),
            "A.M <= 2");
}

TEST(OneTile, has_the_loops_of_the_schedule_without_its_tiles) {
  Compilation tiled = compile_text(spmm + "-s tile j by 32; order j.tile, r, i, A.p; serial");
  Compilation plain = compile_text(spmm + "-s order r, i, A.p; serial");
  const plan::LeafPlan &untiled = tiled.leaves.at(0).plan.alternatives.at(0).plan;
  EXPECT_EQ(scan::to_text(untiled.nest), scan::to_text(plain.leaves.at(0).plan.nest));
  EXPECT_FALSE(untiled.parallel);
}

TEST(OneTile, not_where_it_would_be_something_else) {
  EXPECT_EQ(condition(spmm), "");
  for (const std::string schedule :
       {"skew j by i", "split j by 8", "tile A.p by 8", "tile j by 8; shift i by 2",
        "tile j by 8; bound r = 16", "tile i by 8; parallel i.tile", "tile j by 8; unroll r by 2"})
    EXPECT_EQ(condition(spmm + "-s " + schedule), "") << schedule;
  Request request = read_request_text(spmm + "-s tile j by 4096");
  request.untiled_for_one_tile = false;
  EXPECT_TRUE(compile(request).leaves.at(0).plan.alternatives.empty());
}

/// Both have their inner products four at a time.
TEST(OneTile, keeps_inner_products_at_once) {
  Compilation made = compile_text(sddmm + "-s tile j by 4096");
  EXPECT_TRUE(made.leaves.at(0).verdicts_of_untiled);
  EXPECT_TRUE(std::any_of(made.stages.begin(), made.stages.end(),
                          [](const Stage &stage) { return stage.name == "inner products at once"; }));
}
