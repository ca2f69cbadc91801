#include "find/templates.h"

#include "find/walk.h"

namespace unravel::find {

// ---- Scan: every position is tested.

bool prove_adjacent(Obligations &obligations, LevelPlan &plan) {
  plan.unique = obligations.unique();
  plan.contiguous = plan.unique || obligations.contiguous();
  return plan.contiguous;
}

Outcome try_scan(Obligations &obligations, LevelPlan &plan) {
  // Uniqueness lets the loop end at the hit; nothing else is needed.
  prove_adjacent(obligations, plan);
  plan.how = plan::Scan{};
  return {true, true, true, {}};
}

// ---- Binary search: the first position where skipping ends, by bisection.

Outcome try_binary(Obligations &obligations, LevelPlan &plan) {
  if (!prove_adjacent(obligations, plan)) return {false, false, false, "O-contig not proved"};
  bool stops = false;
  for (const Skip &skip : obligations.skips()) {
    if (!obligations.stop(Direction::Up, skip)) continue;
    stops = true;
    if (!obligations.partition(Direction::Up, skip)) continue;
    plan.how = plan::Binary{skip.condition};
    return {true, true, true, {}};
  }
  return {false, false, false, stops ? "O-part not proved" : "O-stop not proved for any skip condition"};
}

// ---- Sequential iteration: a position that walks on from visit to visit, one position at a time.

Outcome try_sequential(Obligations &obligations, LevelPlan &plan) {
  return plan_walk(obligations, plan, false);
}

// ---- Galloping: a walk whose steps double while what lies that far ahead is skipped, then bisection of the
// last step. Right where a skipped position means that all before it, seen in the walking direction, are
// skipped too. Against the walk by single steps it wins where few of many positions are asked for, and costs
// a test more per visit elsewhere.

Outcome try_galloping(Obligations &obligations, LevelPlan &plan) {
  Outcome outcome = plan_walk(obligations, plan, true);
  if (auto *walk = plan.as<plan::Walk>()) walk->gallops = true;
  if (outcome.proved && outcome.worthwhile) {
    outcome.worthwhile = false;
    outcome.reason = "chosen only where it is asked for";
  }
  return outcome;
}

// ---- Direct: the target determines the position.

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
