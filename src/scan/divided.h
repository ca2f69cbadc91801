#pragma once

#include "scan/scan.h"

/// Statements that divide by what may not be stored.
namespace unravel::scan {

/// A nest of which the first `instances` levels visit the instances that must have a divisor, and the others,
/// behind `conditions`, look for it. The conditions are among the guards of level `instances` - 1, too, if
/// there is one: what the levels behind it rely on.
struct DividedNest {
  Nest nest;
  std::size_t instances = 0;
  std::vector<term::Term> conditions;
};

/// As scan_space. Precondition: the space has divisors, and the order ends with what only they have.
DividedNest scan_divided(const combine::IterationSpace &space, const schedule::Order &order,
                         const std::vector<prove::Axiom> &axioms,
                         const std::map<std::string, std::vector<term::Term>> &arrays);

} // namespace unravel::scan
