#pragma once

#include "cases.h"
#include "find/obligations.h"

#include <functional>

namespace unravel::find::test {

/// What `verdict` says of each find of a case, outermost first, with the outer finds as they are planned;
/// "vacuous" where the properties contradict each other. `own` is a plan to be filled in by templates.
inline std::vector<std::string>
per_find(const Case &each, const std::function<std::string(Obligations &, LevelPlan &own)> &verdict) {
  prove::Prover prover(each.axioms);
  FindPlan plan = plan_finds(each.nest, prover);
  std::vector<std::string> verdicts;
  std::vector<LevelPlan> outer;
  for (const LevelPlan &level : plan.levels) {
    LevelPlan own;
    own.level = level.level;
    Obligations obligations(each.nest, level.level, outer, prover, own);
    outer.push_back(level);
    verdicts.push_back(plan.vacuous ? "vacuous" : verdict(obligations, own));
  }
  return verdicts;
}

} // namespace unravel::find::test
