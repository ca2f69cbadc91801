#pragma once

#include "term/term.h"

#include <optional>

namespace unravel::term {

/// The one value that an equation leaves a variable: a term without the variable that equals it wherever the
/// formula holds. Nothing where the formula is no equation, where the variable's coefficient isn't 1 or -1,
/// or where it occurs inside an application or a quotient, too.
std::optional<Term> solve_for(const std::string &variable, const Term &formula);

/// Of `left = 0` and of `left >= 0` the left side, else null.
const Term *equation(const Term &formula);
const Term *inequality(const Term &formula);

} // namespace unravel::term
