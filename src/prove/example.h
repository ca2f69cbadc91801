#pragma once

#include "prove/prover.h"

#include <string>

/// Small examples for people: where an obligation can't be proved, values that show why.
namespace unravel::prove {

/// Values for the variables and applications of hypotheses that `prover` just answered Possible; as text
/// "i = 0, A.p = 0, A.p' = 1". Each is as small as the ones before it allow, so the text doesn't depend on
/// what was asked before. It satisfies those instances of the axioms that the prover uses: it may be spurious
/// (see world.h). Empty where the prover has none. `values`, where it is given: the same, by variable and
/// application.
std::string small_example(Prover &prover, const std::vector<term::Term> &hypotheses,
                          std::vector<std::pair<term::Term, std::int64_t>> *values = nullptr);

} // namespace unravel::prove
