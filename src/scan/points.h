#pragma once

#include "term/term.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

/// Points that are known to be possible: a formula that is false at one of them doesn't follow.
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

} // namespace unravel::scan
