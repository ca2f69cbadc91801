// Leaves that compute their products in parts, as a plan of contractions says.
#include "choose/parts.h"
#include "parse/parse.h"
#include "pipeline/leaf.h"

#include <algorithm>

namespace unravel::pipeline {

bool LeafPlanner::nest_terms(Leaf &leaf, std::size_t number, const std::function<void()> &scan,
                             Steps &steps) const {
  const combine::IterationSpace &space = in_.combination.leaves[number];
  const auto nested = std::ranges::find_if(
      in_.nested, [&](const compute::NestedTerms &each) { return choose::may_have_parts(space, each); });
  if (nested == in_.nested.end() || as_written_.contains(number)) return false;
  std::vector<parse::Name> first;
  for (std::size_t k = 0; k < leaf.plan.shared; ++k)
    first.push_back({space.loops[k], {}});
  const auto in_order = [&](const std::vector<std::string> &names) {
    std::vector<parse::Name> order = first;
    for (const std::string &name : names)
      if (std::ranges::find(order, name, &parse::Name::text) == order.end()) order.push_back({name, {}});
    leaf.order = schedule::complete_order(space, order);
    scan();
  };
  leaf.order = schedule::plan_order(space, {}, {}, {}, first); // segments in segments
  scan();
  in_order(leaf.plan.finds.levels.empty() ? choose::order_of_parts(leaf.plan.nest, *nested)
                                          : choose::positions_first(space, in_.combination, *nested));
  leaf.plan.parts = choose::parts_of(leaf.plan, space, in_.combination, *nested);
  steps.add("parts" + of_product(number), 0, [&] {
    return (leaf.plan.parts ? "" : "# not in these loops, in which all is one product\n") +
           parse::to_text(nested->program);
  });
  return leaf.plan.parts.has_value();
}

} // namespace unravel::pipeline
