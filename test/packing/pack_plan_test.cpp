// Plans of packing, of all layouts that the tests have.
#include "packing/pack_plan.h"

#include "golden.h"
#include "packing/pack_layouts.h"

namespace unravel::packing {
namespace {

TEST(PackPlan, PlansOfShippedLayouts) {
  std::map<std::string, std::string> texts;
  for (std::size_t order = 0; order < 4; ++order)
    for (const layout::Layout &layout : layouts_of(order))
      texts[layout.base_name] += to_text(plan_packing(layout), layout);
  test::golden_check_each("packing", "pack_plans", texts);
}

/// Of a layout with two slots of each row and a list: the properties that are checked on what is packed.
std::vector<std::string> checked_of_two(const std::string &properties) {
  const layout::Layout layout = tensor::layout_of(R"(layout two(i: M, j: N) {
    index slot[2, M], row[NNZ], col[NNZ]; count NNZ; value slotval[2, M], val[NNZ];
    stored { [s, r] -> [i, j] : 0 <= s < 2 and 0 <= r < M and i = r and j = slot(s, r) and 0 <= j } at slotval(s, r);
    stored { [p] -> [i, j] : 0 <= p < NNZ and i = row(p) and j = col(p) } at val(p);
    property forall s, r : -1 <= slot(s, r) < N;
    property range row in [0, M); property range col in [0, N);
    property injective (row, col);)" + properties +
                                                  "}");
  std::vector<std::string> checked;
  for (std::size_t property : plan_packing(layout).checked)
    checked.push_back(layout.properties[property].axiom.text);
  return checked;
}

const std::string ascending =
                      "property forall s, t, r : s < t and 0 <= slot(t, r) => 0 <= slot(s, r) < slot(t, r);",
                  distinct = "property forall s, t, r : s < t and 0 <= slot(t, r) => 0 <= slot(s, r) and "
                             "not slot(s, r) = slot(t, r);";

TEST(PackPlan, WhatFindsNoSlotIsBehindWhatHasOne) {
  for (const char *property : {"forall s, p : 0 <= slot(s, row(p)) => slot(s, row(p)) < col(p)",
                               "forall s, p : slot(s, row(p)) < col(p)", "forall s, p : 0 <= slot(s, row(p))",
                               "forall s, r, p : row(p) = r => not slot(s, r) = col(p)"})
    EXPECT_EQ(checked_of_two(ascending + "property " + property + ";"), std::vector<std::string>{})
        << property;
}

TEST(PackPlan, AnOrderOfSlotsThatNothingStatesIsNotEnsured) {
  const std::string before = "forall s, p : 0 <= slot(s, row(p)) => slot(s, row(p)) < col(p)",
                    different = "forall s, p : not slot(s, row(p)) = col(p)",
                    by_column = "forall s, r, p : slot(s, r) < col(p)";
  EXPECT_EQ(checked_of_two(distinct + "property " + before + ";"), std::vector<std::string>{before});
  EXPECT_EQ(checked_of_two(distinct + "property " + different + ";"), std::vector<std::string>{});
  EXPECT_EQ(checked_of_two("property " + different + ";"), std::vector<std::string>{different});
  EXPECT_EQ(checked_of_two(ascending + "property " + by_column + ";"), std::vector<std::string>{by_column});
}

} // namespace
} // namespace unravel::packing
