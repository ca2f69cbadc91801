#pragma once

#include "combination_text.h"
#include "scan/scan.h"

#include <vector>

/// Scanned nests from text.
namespace unravel::test {

/// A given order is taken as it is written where it names every variable, else completed.
inline schedule::Order order_for(const CombinationText &text, const combine::IterationSpace &space) {
  schedule::Counts counts(text.counts.begin(), text.counts.end());
  schedule::Scans scans;
  for (const std::vector<std::string> &keys : text.scans)
    scans.emplace(keys, schedule::Unordered::Scanned);
  if (text.schedule.empty()) return schedule::plan_order(space, counts, scans);
  std::vector<parse::Name> given = parse::parse_schedule(source_named("-s", text.schedule)).order;
  if (given.size() != space.variables().size()) return schedule::complete_order(space, given);
  schedule::Order order;
  for (const parse::Name &name : given)
    order.push_back(name.text);
  return order;
}

inline std::vector<scan::Nest> nests_of(const CombinationText &text, const combine::Combination &made) {
  std::vector<scan::Nest> nests;
  for (const combine::IterationSpace &leaf : made.leaves)
    nests.push_back(scan::scan_space(leaf, order_for(text, leaf), made.axioms, made.arrays));
  return nests;
}

} // namespace unravel::test
