#pragma once

#include "prove/prover.h"

#include <cstddef>
#include <string>
#include <vector>

namespace unravel::prove {

/// The axioms that the answer Refuted to question `index` of the log rests on, as they are shown: with these
/// alone it is refuted, without any one of them it isn't. Of several such sets one: axioms are left out in
/// turn, the last first. Empty for other answers, and where the hypotheses contradict each other by
/// themselves. Time: a new prover and a question for each axiom.
std::vector<std::string> needed_axioms(const Prover &prover, std::size_t index);

} // namespace unravel::prove
