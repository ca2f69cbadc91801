#include "prove/needed.h"

#include "report/diagnostic.h"

namespace unravel::prove {

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
