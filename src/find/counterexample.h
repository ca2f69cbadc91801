#pragma once

#include "find/planner.h"

#include <string>

/// Why an obligation can't be proved, in the user's terms: small arrays for which it is false.
namespace unravel::find {

/// One sentence about arrays that satisfy all properties and for which the obligation of the find at `level`
/// is false: "B.idx = [1, 0], looking for 0 after 1: ...". Checked by evaluation. Empty where no small one
/// was found.
std::string counterexample(const scan::Nest &nest, std::size_t level, const Obligation &obligation,
                           const prove::Prover &prover);

/// What an obligation that a reason names asks for, in words: "the positions of a target lie side by side".
/// Empty where the reason names none.
std::string demand(const LevelPlan &plan, const std::string &reason);

/// Why a candidate failed, with a counterexample where there is one.
std::string failure(const scan::Nest &nest, const LevelPlan &plan, const std::string &reason,
                    const prove::Prover &prover);

// ---- What obligations say, in words.

/// Without what it is about: "O-stop(up, >)", "O-persist{i}" and "O-stop not proved" are "O-stop",
/// "O-persist", "O-stop".
std::string kind_of(const std::string &obligation);

/// What holds where the obligation is proved, as half a sentence: "a target is at no more than one position".
/// For each that docs/find-synthesis.md lists, and for those of dependences and searches; empty for others.
std::string meaning_of(const std::string &obligation);

} // namespace unravel::find
