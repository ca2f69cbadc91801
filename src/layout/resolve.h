#pragma once

#include "parse/tree.h"
#include "term/term.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

/// Expression trees to terms, with names resolved.
namespace unravel::layout {

/// What names mean where an expression stands.
struct Scope {
  std::map<std::string, term::Term> variables;  // coordinates, positions, sizes, counts, parameters
  std::map<std::string, std::size_t> functions; // index arrays and their arity
  std::map<std::string, std::string> elsewhere; // names that exist but not here, and why: for the message
  std::map<term::Term, text::Span> *places = nullptr; // where each application was written; may be null
};

/// Throws unknown_name, wrong_arity, not_affine... with the place.
term::Term resolve_term(const parse::Expression &expression, const Scope &scope);
term::Term resolve_formula(const parse::Expression &expression, const Scope &scope);
/// The guard and conclusion of `a => b` (other formulas: guard true).
std::pair<term::Term, term::Term> resolve_implication(const parse::Expression &expression,
                                                      const Scope &scope);

} // namespace unravel::layout
