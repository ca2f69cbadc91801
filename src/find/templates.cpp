#include "find/templates.h"

#include "find/walk.h"
#include "term/solve.h"
#include "text/contains.h"

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

// ---- Probe: the segment is a hash table that its layout describes. The search begins at the first position
// where the target may be and goes on until the match or a position that holds nothing: a key below 0.
//
// Where it may begin is read off the properties: one that says h(key(p)) <= p, whatever h is, as
// `key(p) mod 8 <= p`. That nothing is missed before that position, or behind an empty one, is proved.

namespace {

using term::Term;

/// Comparisons that occur as conjuncts.
void add_comparisons(const Term &formula, std::vector<Term> &found) {
  for (const Term &part : term::conjuncts(formula))
    if (const Term *left = term::inequality(part)) found.push_back(*left);
}

/// The axiom's variables that make one of its applications the key: key(r, p) there is key(i, A.p) here.
std::optional<term::Substitution> unified(const Term &there, const Term &key, const prove::Axiom &axiom) {
  const std::vector<Term> &from = there.as<term::Apply>()->arguments;
  const std::vector<Term> &to = key.as<term::Apply>()->arguments;
  term::Substitution by;
  for (std::size_t k = 0; k < from.size(); ++k) {
    const auto *name = from[k].as<term::Variable>();
    if (!name || !by.emplace(name->name, to[k]).second) return std::nullopt;
  }
  for (const std::string &variable : axiom.variables)
    if (!by.count(variable) && term::mentions(axiom.conclusion, variable)) return std::nullopt;
  return by;
}

/// h(target) for each property that says h(key(p)) <= p and reads nothing but the key.
std::vector<Term> starts(const Obligations &obligations, const scan::Component &component) {
  std::vector<Term> found;
  const std::string &position = obligations.level().variable;
  const auto *call = component.key.as<term::Apply>();
  if (!component.is_equality() || !call) return found;
  const std::vector<Term> known = term::applications_of(component.target);
  for (const prove::Axiom &axiom : obligations.axioms()) {
    std::vector<Term> comparisons;
    add_comparisons(axiom.conclusion, comparisons);
    for (const Term &left : comparisons)
      for (const Term &there : term::applications_of(left)) {
        if (there.as<term::Apply>()->function != call->function) continue;
        std::optional<term::Substitution> by = unified(there, component.key, axiom);
        if (!by) continue;
        Term here = term::replace(term::substitute(left, *by), {{component.key, component.target}});
        Term start = term::variable(position) - here; // 0 <= position - h(target)
        bool plain = !term::mentions(start, position);
        for (const Term &read : term::applications_of(start))
          plain = plain && contains(known, read);
        if (plain && !contains(found, start)) found.push_back(start);
      }
  }
  return found;
}

} // namespace

Outcome try_probe(Obligations &obligations, LevelPlan &plan) {
  Outcome failed{false, false, false, "no property says h(key(p)) <= p of an array of keys"};
  failed.applies = false;
  for (const scan::Component &component : obligations.level().components)
    for (const Term &start : starts(obligations, component)) {
      failed.applies = true;
      failed.reason = "O-start not proved";
      if (!obligations.starts_at(start)) continue;
      Term used = term::at_most(0, component.key);
      failed.reason = "O-empty not proved";
      if (!obligations.ends_where_not(used, start)) continue;
      plan.unique = obligations.unique();
      plan.contiguous = plan.contiguous || plan.unique;
      const bool is_inside = obligations.in_front(start);
      plan.how = plan::Probe{is_inside ? start : term::maximum({start, obligations.level().lower}), used};
      return {true, true, true, {}};
    }
  return failed;
}

} // namespace unravel::find
