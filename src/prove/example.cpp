#include "prove/example.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace unravel::prove {

using term::Term;

namespace {

/// Narrows a question whose answer is Possible until one model is left: the solver's own choice among several
/// depends on what it was asked before.
class Example {
public:
  Example(Prover &prover, std::vector<Term> hypotheses) : prover_(prover), all_(std::move(hypotheses)) {}

  bool ask(const Term &condition) {
    all_.push_back(condition);
    bool possible = prover_.refute("small example", "", all_) == Answer::Possible;
    all_.pop_back();
    if (possible) model_ = prover_.model_of_last();
    return possible;
  }

  /// Gives the atom its least absolute value, positive rather than negative.
  void settle(const Term &atom) {
    std::string name = term::to_text(atom);
    auto size = [&] { return std::abs(value_of(name)); };
    while (size() > 0 &&
           ask(term::conjunction({term::less(Term(-size()), atom), term::less(atom, Term(size()))}))) {
    }
    if (value_of(name) < 0) ask(fixed(atom, size()));
    // As bounds: an equality would be used up, and other instances of the axioms be chosen.
    all_.push_back(fixed(atom, value_of(name)));
  }

  std::string text() const {
    std::string text;
    for (const auto &[name, value] : model_.values)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
    return text;
  }

private:
  static Term fixed(const Term &atom, std::int64_t value) {
    return term::conjunction({term::at_most(Term(value), atom), term::at_most(atom, Term(value))});
  }

  std::int64_t value_of(const std::string &name) const {
    for (const auto &[atom, value] : model_.values)
      if (atom == name) return value;
    return 0;
  }

  Prover &prover_;
  std::vector<Term> all_;
  Model model_;
};

} // namespace

std::string small_example(Prover &prover, const std::vector<Term> &hypotheses) {
  std::vector<Term> atoms;
  auto add = [&](const Term &atom) {
    if (std::find(atoms.begin(), atoms.end(), atom) == atoms.end()) atoms.push_back(atom);
  };
  for (const Term &hypothesis : hypotheses) {
    for (const std::string &name : term::variables_of(hypothesis))
      add(term::variable(name));
    for (const Term &application : term::applications_of(hypothesis))
      add(application);
  }
  // The prover's own model satisfies the hypotheses but may use any numbers: ask for small ones.
  for (std::int64_t limit : {2, 4, 16}) {
    Example example(prover, hypotheses);
    std::vector<Term> bounds;
    for (const Term &atom : atoms)
      bounds.push_back(
          term::conjunction({term::at_most(Term(-limit), atom), term::at_most(atom, Term(limit))}));
    if (!example.ask(term::conjunction(bounds))) continue;
    for (const Term &atom : atoms)
      example.settle(atom);
    return example.text();
  }
  Example example(prover, hypotheses);
  return example.ask(term::truth()) ? example.text() : "";
}

} // namespace unravel::prove
