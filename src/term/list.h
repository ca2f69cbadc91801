#pragma once

#include "term/term.h"

namespace unravel::term {

/// "a, b + 1"
std::string to_text(const std::vector<Term> &terms);

} // namespace unravel::term
