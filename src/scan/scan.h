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

// ---- What is looked for at each instance of a nest: combine::Lookup.

/// The instances' outermost levels, as many as an element's place depends on, and behind them the levels that
/// look for it there: Nest::instances is where these begin.
struct Search {
  combine::IterationSpace space; // with the place's positions
  schedule::Order order;
  Nest nest;
  /// What must hold before it is looked for. Among the guards of the last level of the instances, too, if
  /// there is one: what the levels behind it rely on.
  std::vector<term::Term> conditions;
};

/// `instances`: the space scanned in that order, perhaps with shared loops (scan/tree.h). It is looked for
/// behind `least` levels or further in.
Search scan_search(const combine::IterationSpace &space, const combine::Place &place,
                   const schedule::Order &order, const Nest &instances, std::size_t least,
                   const std::vector<prove::Axiom> &axioms,
                   const std::map<std::string, std::vector<term::Term>> &arrays);

} // namespace unravel::scan
