#pragma once

#include "combine/space.h"
#include "scan/nest.h"
#include "schedule/order.h"

/// Scanning an iteration space: from a relation and an order of its variables to loops with bounds,
/// assignments and finds (polyhedra scanning with uninterpreted functions; Zhao et al., section 5).
namespace unravel::scan {

/// Scans a space in the given order (all variables). `axioms` supply facts on array values once their
/// arguments are known, so that conditions that follow from validated properties are not checked again. Every
/// point of the space is visited exactly once, and nothing else: checked at the end. A variable without
/// bounds at its place is a mistake of the order. `arrays`: extents, as in combine::Combination.
Nest scan_space(const combine::IterationSpace &space, const schedule::Order &order,
                const std::vector<prove::Axiom> &axioms,
                const std::map<std::string, std::vector<term::Term>> &arrays);

} // namespace unravel::scan
