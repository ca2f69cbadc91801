// Direct: the target determines the position.
#include "find/templates.h"

namespace unravel::find {

namespace {

using term::Term;

/// Where a component's key, solved for the position, would put a match: key = a*q + b gives (target - b) div
/// a; an array that may be its own inverse gives the target.
std::optional<Term> solve(const scan::Component &component, const std::string &position) {
  if (const auto *call = component.key.as<term::Apply>()) {
    if (call->arguments.size() == 1 && call->arguments[0] == term::variable(position))
      return component.target;
    return std::nullopt;
  }
  std::int64_t coefficient = term::coefficient_of(component.key, position);
  Term rest = component.key - term::scale(coefficient, term::variable(position));
  if (coefficient == 0 || term::mentions(rest, position)) return std::nullopt;
  if (coefficient > 0) return term::floor_divide(component.target - rest, coefficient);
  return term::floor_divide(rest - component.target, -coefficient);
}

} // namespace

Outcome try_direct(Obligations &obligations, LevelPlan &plan) {
  bool tried = false;
  for (const scan::Component &component : obligations.level().components) {
    std::optional<Term> position = solve(component, obligations.level().variable);
    if (!position) continue;
    tried = true;
    if (!obligations.direct(*position)) continue;
    plan.unique = plan.contiguous = true;
    const bool in_bounds = obligations.direct_in_bounds(*position);
    const bool matches = obligations.direct_matches(*position);
    plan.how = plan::Direct{*position, !in_bounds, !matches};
    return {true, true, true, {}};
  }
  return {false, false, false, tried ? "O-direct not proved" : "no key can be solved for the position"};
}

} // namespace unravel::find
