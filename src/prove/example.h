#pragma once

#include "prove/prover.h"
#include "term/term.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Small examples for people: where an obligation can't be proved, values that show why.
namespace unravel::prove {

/// Values for the variables and applications of hypotheses that `prover` just answered Possible; as text
/// "i = 0, A.p = 0, A.p' = 1". Each is as small as the ones before it allow, so the text doesn't depend on
/// what was asked before. It satisfies those instances of the axioms that the prover uses: it may be spurious
/// (see world.h). Empty where the prover has none. `values`, where it is given: the same, by variable and
/// application.
std::string small_example(Prover &prover, const std::vector<term::Term> &hypotheses,
                          std::vector<std::pair<term::Term, std::int64_t>> *values = nullptr);

// ---- The least of several models, so that an example doesn't depend on the solver's choice.

/// A formula that says: the atoms have smaller values than these. Atoms are compared one after the other, the
/// first that differs decides; a value is smaller if its absolute value is, or if it is positive instead of
/// negative. Refuted: these values are the least.
inline term::Term smaller_than(const std::vector<std::pair<term::Term, std::int64_t>> &values) {
  using term::Term;
  Term result = term::falsity();
  for (std::size_t k = values.size(); k-- > 0;) {
    const auto &[atom, value] = values[k];
    std::int64_t size = value < 0 ? -value : value;
    Term same =
        term::conjunction({term::at_most(Term(value), atom), term::at_most(atom, Term(value)), result});
    Term nearer = term::conjunction({term::less(Term(-size), atom), term::less(atom, Term(size))});
    Term positive = value < 0 ? term::equal(atom, Term(size)) : term::falsity();
    result = term::disjunction({nearer, positive, same});
  }
  return result;
}

/// The axioms that the answer Refuted to question `index` of the log rests on, as they are shown: with these
/// alone it is refuted, without any one of them it isn't. Of several such sets one: axioms are left out in
/// turn, the last first. Empty for other answers, and where the hypotheses contradict each other by
/// themselves. Time: a new prover and a question for each axiom.
std::vector<std::string> needed_axioms(const Prover &prover, std::size_t index);

} // namespace unravel::prove
