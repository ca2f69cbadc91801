// Range lemmas: what sorted pointer arrays with known ends imply, proved once when a layout is read.
#include "layout/layout.h"
#include "layout/property.h"

#include <fmt/format.h>

namespace unravel::layout {

using term::Term;

namespace {

/// The two sides of an equation between a call f(argument) of a one-dimensional array and a term without
/// calls.
struct EndFact {
  std::string function;
  Term value;
  Term equation;
  std::string text;
};

std::vector<EndFact> end_facts(const std::vector<prove::Axiom> &axioms) {
  std::vector<EndFact> facts;
  for (const prove::Axiom &axiom : axioms) {
    const auto *compare = axiom.conclusion.as<term::Compare>();
    if (!axiom.variables.empty() || !compare || compare->relation != term::Relation::Equal) continue;
    std::vector<Term> calls = term::applications_of(axiom.conclusion);
    if (calls.size() != 1) continue;
    for (const auto &[atom, coefficient] : term::linear_form(compare->left).parts)
      if (atom == calls[0] && (coefficient == 1 || coefficient == -1)) {
        Term value = coefficient == 1 ? calls[0] - compare->left : calls[0] + compare->left;
        facts.push_back({atom.as<term::Apply>()->function, value, axiom.conclusion, axiom.text});
      }
  }
  return facts;
}

} // namespace

void derive_lemmas(Layout &layout) {
  std::vector<prove::Axiom> axioms = layout.axioms();
  std::vector<EndFact> facts = end_facts(axioms);
  if (facts.empty()) return;
  prove::Prover prover(axioms);
  for (const Array &array : layout.arrays) {
    if (array.is_value || array.extents.size() != 1) continue;
    std::string quantified = "r";
    while (layout.array(quantified))
      quantified += "_";
    Term r = term::variable(quantified);
    Term value = term::apply(array.name, {r});
    Term domain = term::between(Term(0), r, array.extents[0]);
    std::vector<Term> conclusions;
    std::string from;
    auto try_bound = [&](const EndFact &fact, const Term &bound) {
      // The equation is among the hypotheses so that its application is instantiated too.
      std::vector<Term> hypotheses{domain, fact.equation, term::negation(bound)};
      if (prover.refute("range lemma", array.name, hypotheses) != prove::Answer::Refuted) return;
      conclusions.push_back(bound);
      from += (from.empty() ? "`" : " and `") + fact.text + "`";
    };
    for (const EndFact &fact : facts)
      if (fact.function == array.name) try_bound(fact, term::at_most(fact.value, value));
    for (const EndFact &fact : facts)
      if (fact.function == array.name) try_bound(fact, term::at_most(value, fact.value));
    if (conclusions.empty()) continue;
    Property lemma;
    lemma.derived = true;
    lemma.derivation = from + fmt::format(" and the order of `{}`", array.name);
    lemma.axiom = {
        fmt::format("range of {}", array.name), {quantified}, domain, term::conjunction(conclusions)};
    layout.lemmas.push_back(std::move(lemma));
  }
}

} // namespace unravel::layout
