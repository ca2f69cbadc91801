#pragma once

#include "pipeline.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

/// How finds are proved, for `unravel explain`: what was chosen and why, what failed and for which arrays.
namespace unravel::show {

/// Per find its template in words, the other candidates with reasons and counterexamples, the obligations
/// with verdicts and times; then the same of each alternative, with its condition.
std::string proofs_text(const pipeline::Compilation &compilation);

/// The same as in docs/command-line.md: "finds" and "alternatives" of `explain --json`.
nlohmann::json proofs_json(const pipeline::Compilation &compilation);
/// All obligations in a row, the alternatives' too, with the numbers of their questions.
nlohmann::json obligations_json(const pipeline::Compilation &compilation);

/// Writes every question that was asked of the prover to a folder as an SMT-LIB script, 000.smt2 and so on,
/// and index.txt: per script a line with its name, the answer that z3 gives (unsat, sat, unknown), what the
/// question is about and its name, separated by tabs.
void write_smtlib(const std::string &folder, const prove::Prover &prover);

// ---- for these and for pages (report_finds.h)

const prove::Question &question_of(const pipeline::Compilation &compilation,
                                   const plan::Obligation &obligation);
/// "proved", "possible, as it should be", ...
const char *verdict_of(const plan::Obligation &obligation, const prove::Question &question);
/// The candidates, those that were tried in vain with a counterexample where one was found.
std::vector<plan::Candidate> explained(const pipeline::Compilation &compilation, const scan::Nest &nest,
                                       const plan::LevelPlan &plan);
/// "binary: bisects [A.rowptr(i), A.rowptr(i + 1)) at each visit"
std::string method_in_words(const plan::LevelPlan &plan, const scan::Level &level);

} // namespace unravel::show
