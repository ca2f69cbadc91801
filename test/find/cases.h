#pragma once

#include "arrays.h"
#include "find/planner.h"

/// Nests with properties and generators of arrays that have them: the cases of docs/find-synthesis.
namespace unravel::find::test {

struct Case {
  std::string name; // the number in the table
  std::string what;
  std::vector<prove::Axiom> axioms;
  scan::Nest nest;
  std::function<void(Random &, World &)> generate; // none: no arrays satisfy the properties
};

/// All cases of the study, and those of odd_cases.cpp under the names u1 and on.
const std::vector<Case> &all_cases();
const Case &case_named(const std::string &name);

/// Appends the cases of odd_cases.cpp.
void add_odd_cases(std::vector<Case> &cases);

/// "U1 C1 up > {i} at 1 ++", "direct", "binary (restart: ...)".
std::string summary(const LevelPlan &plan);

} // namespace unravel::find::test
