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

} // namespace
} // namespace unravel::packing
