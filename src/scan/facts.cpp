#include "scan/facts.h"

namespace unravel::scan {

using term::Term;

namespace {

/// Instances of an axiom of three variables: more cost time.
constexpr std::size_t most_of_three = 32;

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
      if (!used_.insert(implication).second) continue;
      // Only applications that are known are dimensions here: others would be about nothing.
      bool about_known = true;
      for (const Term &application : term::applications_of(instance.conclusion))
        about_known = about_known && applications.count(application) > 0;
      if (!about_known) continue;
      progress = true;
      known.add(instance.conclusion);
    }
    open = std::move(later);
  }
}

} // namespace unravel::scan
