#pragma once

#include "term/term.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

/// Comparisons as bounds of a variable.
namespace unravel::scan {

/// coefficient * variable + rest >= 0 or = 0
struct Side {
  std::int64_t coefficient;
  term::Term rest;
  bool equation;
};

/// The comparison as one, where the variable occurs in it at the top level only.
inline std::optional<Side> as_side(const term::Term &constraint, const std::string &variable) {
  const auto *compare = constraint.as<term::Compare>();
  if (!compare) return std::nullopt;
  std::int64_t coefficient = term::coefficient_of(compare->left, variable);
  term::Term rest = compare->left - term::scale(coefficient, term::variable(variable));
  if (coefficient == 0 || term::mentions(rest, variable)) return std::nullopt;
  return Side{coefficient, rest, compare->relation == term::Relation::Equal};
}

/// Whether the constraints bound the variable on both sides.
inline bool is_enclosed(const std::string &variable, const std::vector<term::Term> &constraints) {
  bool below = false, above = false;
  for (const term::Term &constraint : constraints)
    if (std::optional<Side> side = as_side(constraint, variable)) {
      below = below || side->equation || side->coefficient > 0;
      above = above || side->equation || side->coefficient < 0;
    }
  return below && above;
}

} // namespace unravel::scan
