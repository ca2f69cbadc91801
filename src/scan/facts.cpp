#include "scan/facts.h"

#include <algorithm>

namespace unravel::scan {

using term::Term;

namespace {

/// Instances of an axiom of three variables: more cost time.
constexpr std::size_t most_of_three = 32;

bool is_nested(const Term &application) {
  const std::vector<Term> &arguments = application.as<term::Apply>()->arguments;
  return std::ranges::any_of(arguments,
                             [](const Term &argument) { return !term::applications_of(argument).empty(); });
}

bool has_nested(const Term &formula) {
  return std::ranges::any_of(term::applications_of(formula), is_nested);
}

/// The formula with known applications in place of those at the same arguments: map(i) for map(idx(p)), where
/// i = idx(p) is known.
Term in_known_applications(Term formula, const std::set<Term> &applications, Known &known) {
  for (const Term &application : term::applications_of(formula)) {
    const auto *call = application.as<term::Apply>();
    if (!is_nested(application) || applications.contains(application)) continue;
    for (const Term &other : applications) {
      const auto *same = other.as<term::Apply>();
      if (same->function != call->function) continue;
      std::vector<Term> equal;
      for (std::size_t k = 0; k < call->arguments.size(); ++k)
        equal.push_back(term::equal(call->arguments[k], same->arguments[k]));
      if (!known.implies(term::conjunction(std::move(equal)))) continue;
      formula = term::replace(formula, {{application, other}});
      break;
    }
  }
  return formula;
}

} // namespace

term::Term Facts::about_sizes() const {
  std::vector<Term> facts;
  for (const prove::Axiom &axiom : axioms_)
    if (axiom.variables.empty() && term::is_true(axiom.guard) &&
        term::applications_of(axiom.conclusion).empty())
      facts.push_back(axiom.conclusion);
  return term::conjunction(facts);
}

std::set<Term> Facts::candidates(const prove::Axiom &axiom, const std::string &quantified,
                                 const std::set<Term> &applications) const {
  std::set<Term> values;
  for (const Term &pattern : term::applications_of(term::conjunction({axiom.guard, axiom.conclusion}))) {
    const auto *call = pattern.as<term::Apply>();
    for (std::size_t k = 0; k < call->arguments.size(); ++k) {
      if (term::coefficient_of(call->arguments[k], quantified) != 1) continue;
      Term shift = call->arguments[k] - term::variable(quantified);
      if (term::mentions(shift, quantified)) continue;
      for (const Term &application : applications) {
        const auto *known = application.as<term::Apply>();
        if (known->function == call->function) values.insert(known->arguments[k] - shift);
      }
    }
  }
  return values;
}

std::vector<Facts::Instance> Facts::instances(const std::set<Term> &applications) const {
  std::vector<Instance> result;
  for (const prove::Axiom &axiom : axioms_) {
    if (axiom.variables.empty() || axiom.variables.size() > 3) continue;
    std::vector<term::Substitution> choices{{}};
    for (const std::string &quantified : axiom.variables) {
      std::vector<term::Substitution> longer;
      for (const Term &value : candidates(axiom, quantified, applications))
        for (term::Substitution choice : choices) {
          choice.emplace(quantified, value);
          longer.push_back(std::move(choice));
        }
      choices = std::move(longer);
    }
    // of a triple most instances say nothing of this level
    if (axiom.variables.size() == 3 && choices.size() > most_of_three) continue;
    for (const term::Substitution &by : choices) {
      Instance instance{term::substitute(axiom.guard, by), term::substitute(axiom.conclusion, by)};
      if (!term::is_false(instance.guard) && !term::is_true(instance.conclusion))
        result.push_back(std::move(instance));
    }
  }
  return result;
}

void Facts::extend(Known &known, const std::set<Term> &applications) {
  std::vector<std::pair<Term, Instance>> open;
  for (Instance &instance : instances(applications)) {
    Term implication = term::implication(instance.guard, instance.conclusion);
    if (!used_.count(implication)) open.emplace_back(std::move(implication), std::move(instance));
  }
  for (bool progress = true; progress;) {
    progress = false;
    std::vector<std::pair<Term, Instance>> later;
    for (auto &[implication, instance] : open) {
      if (!known.implies(instance.guard)) {
        later.emplace_back(std::move(implication), std::move(instance));
        continue;
      }
      if (used_.contains(implication)) continue;
      const Term conclusion = in_known_applications(instance.conclusion, applications, known);
      // Only applications that are known are dimensions here: others would be about nothing. One at what
      // another one tells may be known further in, where that has a name.
      bool about_known = true;
      for (const Term &application : term::applications_of(conclusion))
        about_known = about_known && applications.contains(application);
      if (about_known || !has_nested(conclusion)) used_.insert(std::move(implication));
      if (!about_known) continue;
      progress = true;
      known.add(conclusion);
    }
    open = std::move(later);
  }
}

} // namespace unravel::scan
