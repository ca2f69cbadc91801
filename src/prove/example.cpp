#include "prove/example.h"

#include <fmt/format.h>
#include <set>

namespace unravel::prove {

using term::Term;

std::string small_example(Prover &prover, const std::vector<Term> &hypotheses) {
  std::set<Term> atoms;
  for (const Term &hypothesis : hypotheses) {
    for (const std::string &name : term::variables_of(hypothesis))
      atoms.insert(term::variable(name));
    for (const Term &application : term::applications_of(hypothesis))
      atoms.insert(application);
  }
  auto show = [](const Model &model) {
    std::string text;
    for (const auto &[name, value] : model.values)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
    return text;
  };
  // The prover's own model satisfies the hypotheses but may use any numbers: ask for small ones.
  for (std::int64_t limit : {2, 4, 16}) {
    std::vector<Term> bounded = hypotheses;
    for (const Term &atom : atoms)
      bounded.push_back(
          term::conjunction({term::at_most(Term(-limit), atom), term::at_most(atom, Term(limit))}));
    if (prover.refute("small example", "", bounded) == Answer::Possible) return show(prover.model_of_last());
  }
  if (prover.refute("example", "", hypotheses) != Answer::Possible) return "";
  return show(prover.model_of_last());
}

} // namespace unravel::prove
