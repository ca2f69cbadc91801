#pragma once

#include "cases.h"
#include "executor.h"

/// Whether plans do the same as nested loops.
namespace unravel::find::test {

/// Same instances in the same order, no read outside a segment.
inline bool is_right(const scan::Nest &nest, const World &world, const std::vector<LevelPlan> &plans) {
  Executor executor(nest, world);
  std::vector<std::vector<std::int64_t>> expected = executor.run({});
  try {
    return executor.run(plans) == expected;
  } catch (const OutOfRange &) {
    return false;
  }
}

/// On so many random worlds of a case.
inline bool is_right(const Case &each, const std::vector<LevelPlan> &plans, int worlds) {
  Random random(3);
  for (int k = 0; k < worlds; ++k) {
    World world;
    each.generate(random, world);
    if (!is_right(each.nest, world, plans)) return false;
  }
  return true;
}

} // namespace unravel::find::test
