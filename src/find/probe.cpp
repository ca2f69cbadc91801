// Probe: the segment is a hash table that its layout describes. The search begins at the first position where
// the target may be and goes on until the match or a position that holds nothing: a key below 0.
//
// Where it may begin is read off the properties: one that says h(key(p)) <= p, whatever h is, as
// `key(p) mod 8 <= p`. That nothing is missed before that position, or behind an empty one, is proved.
#include "find/templates.h"
#include "term/solve.h"
#include "text/contains.h"

namespace unravel::find {

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
