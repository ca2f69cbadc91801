// Plans of packing, of all layouts that the tests have.
#include "packing/pack_plan.h"

#include "golden.h"
#include "packing/pack_layouts.h"

namespace unravel::packing {
namespace {

TEST(PackPlan, PlansOfShippedLayouts) {
  std::string text;
  for (std::size_t order = 0; order < 4; ++order)
    for (const layout::Layout &layout : layouts_of(order))
      text += to_text(plan_packing(layout), layout);
  test::golden_check("packing", "pack_plans", text);
}

} // namespace
} // namespace unravel::packing
