#include "find/rising.h"

#include "find/counterexample.h"
#include "find/obligations.h"

namespace unravel::find {

Rising rising(const scan::Nest &nest, std::size_t level, const term::Term &key, const FindPlan &finds,
              prove::Prover &prover) {
  scan::Nest around = nest;
  around.levels.resize(level + 1);
  const bool is_find = around.levels.back().is_find();
  if (!is_find) around.levels.back().components = {{key, term::Term(0)}}; // as a segment with these keys
  std::vector<LevelPlan> outer = finds.levels;
  std::erase_if(outer, [&](const LevelPlan &plan) { return plan.level >= level; });
  LevelPlan plan;
  plan.level = level;
  Obligations obligations(around, level, outer, prover, plan);
  Rising result{obligations.rises(key, is_find), plan.obligations.back().name, ""};
  if (!result.is_proved) result.example = counterexample(around, level, plan.obligations.back(), prover);
  return result;
}

} // namespace unravel::find
