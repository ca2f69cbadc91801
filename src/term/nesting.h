#pragma once

#include "term/term.h"

namespace unravel::term {

/// How many applications stand in one another: 2 in idx(ptr(p)). Of conditions, those with less are tested
/// first: they may keep the arguments of the others in range.
std::size_t nesting_of(const Term &term);

} // namespace unravel::term
