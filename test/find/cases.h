#pragma once

#include "arrays.h"
#include "find/plan.h"

/// Nests with properties and generators of arrays that have them: the cases of docs/find-synthesis.
namespace unravel::find::test {

struct Case {
  std::string name; // the number in the table
  std::string what;
  std::vector<prove::Axiom> axioms;
  scan::Nest nest;
  std::function<void(Random &, World &)> generate; // none: no arrays satisfy the properties
};

const std::vector<Case> &all_cases();
const Case &case_named(const std::string &name);

/// "U1 C1 up > {i} at 1 ++", "direct", "binary (restart: ...)".
std::string summary(const LevelPlan &plan);

} // namespace unravel::find::test
