#pragma once

#include "scan/points.h"
#include "scan/stated.h"
#include "space/set.h"

#include <optional>

/// What is known at a level of the nest: isl's set, and the comparisons as they were said, which answer most
/// questions without isl.
namespace unravel::scan {

class Known {
public:
  /// From here on the formula holds.
  void add(const term::Term &formula);
  bool implies(const term::Term &formula);
  /// What remains to be said of a set.
  term::Term left_of(const space::Set &set);
  /// What remains of a conjunction of comparisons; none where only isl knows.
  std::optional<std::vector<term::Term>> left_of(const std::vector<term::Term> &comparisons) {
    return stated_.reduced(comparisons);
  }
  /// As a set. Formulas are put together until it is asked for: each intersection of isl looks at all of it.
  const space::Set &set();

private:
  space::Set set_;
  std::vector<term::Term> added_; // since the set was made
  Stated stated_;
  Points points_; // at which all holds
};

} // namespace unravel::scan
