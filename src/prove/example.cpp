#include "prove/example.h"

#include "report/diagnostic.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::prove {

using term::Term;

namespace {

/// Better models than this many are not asked for.
constexpr int improvement_limit = 40;

std::string to_text(const Model &model) {
  std::string text;
  for (const auto &[name, value] : model.values)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  return text;
}

/// The values of the atoms in a model.
std::vector<std::pair<Term, std::int64_t>> values_of(const std::vector<Term> &atoms, const Model &model) {
  std::vector<std::pair<Term, std::int64_t>> values;
  for (const Term &atom : atoms)
    for (const auto &[name, value] : model.values)
      if (name == term::to_text(atom)) values.emplace_back(atom, value);
  return values;
}

} // namespace

std::string small_example(Prover &prover, const std::vector<Term> &hypotheses,
                          std::vector<std::pair<Term, std::int64_t>> *values) {
  std::vector<Term> atoms;
  auto add = [&](const Term &atom) {
    if (!contains(atoms, atom)) atoms.push_back(atom);
  };
  for (const Term &hypothesis : hypotheses) {
    for (const std::string &name : term::variables_of(hypothesis))
      add(term::variable(name));
    for (const Term &application : term::applications_of(hypothesis))
      add(application);
  }
  auto shown = [&](const Model &model) {
    if (values) *values = values_of(atoms, model);
    return to_text(model);
  };
  // The prover's own model satisfies the hypotheses but may use any numbers: ask for small ones.
  for (std::int64_t limit : {2, 4, 16}) {
    if (prover.budget().is_spent()) break; // any example does
    std::vector<Term> question = hypotheses;
    for (const Term &atom : atoms)
      question.push_back(
          term::conjunction({term::at_most(Term(-limit), atom), term::at_most(atom, Term(limit))}));
    if (prover.refute("small example", "", question) != Answer::Possible) continue;
    Model best = prover.model_of_last();
    question.push_back(term::truth());
    for (int k = 0; k < improvement_limit && !prover.budget().is_spent(); ++k) {
      question.back() = smaller_than(values_of(atoms, best));
      if (prover.refute("smaller example", "", question) != Answer::Possible) break;
      best = prover.model_of_last();
    }
    return shown(best);
  }
  if (prover.refute("example", "", hypotheses) != Answer::Possible) return "";
  return shown(prover.model_of_last());
}

std::vector<std::string> needed_axioms(const Prover &prover, std::size_t index) {
  report::require(index < prover.log().size(), "a question that was asked");
  const Question &question = prover.log()[index];
  if (question.answer != Answer::Refuted) return {};
  const auto refutes = [&](const std::vector<Axiom> &axioms) {
    return Prover(axioms).refute(question.name, question.about, question.hypotheses) == Answer::Refuted;
  };
  std::vector<Axiom> kept = prover.axioms();
  if (!refutes(kept)) return {}; // within another limit it was
  for (std::size_t k = kept.size(); k-- > 0;) {
    std::vector<Axiom> fewer = kept;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    if (refutes(fewer)) kept = std::move(fewer);
  }
  std::vector<std::string> texts;
  for (const Axiom &axiom : kept)
    texts.push_back(axiom.text);
  return texts;
}

} // namespace unravel::prove
