#pragma once

#include "scan/stated.h"
#include "space/set.h"
#include "term/term.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

/// What is known at a level of the nest: isl's set, and the comparisons as they were said, which answer most
/// questions without isl.
namespace unravel::scan {

/// At most a few points, each of which satisfies all that is known. Atoms (variables, applications, products)
/// have a value each, as in isl's sets; one that a point doesn't have is 0 there.
class Points {
public:
  using Point = std::vector<std::pair<term::Term, std::int64_t>>;
  /// Precondition: all that is known holds at the point.
  void add(const Point &point);
  /// From here on the formula holds: points at which it doesn't are dropped.
  void keep_where(const term::Term &formula);
  /// Whether the formula is false at one of the points.
  bool refute(const term::Term &formula) const;

private:
  using Values = std::unordered_map<term::Term, std::int64_t>;
  /// Of a formula 0 or 1. None where a number doesn't fit.
  static std::optional<std::int64_t> value_at(const Values &point, const term::Term &term);

  std::vector<Values> points_; // the last ones of those that were added
};

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
