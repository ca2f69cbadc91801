#pragma once

#include "term/term.h"

#include <functional>

namespace unravel::term {

/// Calls `visit` on the direct subterms.
void each_child(const Term &term, const std::function<void(const Term &)> &visit);

/// Does one of the variables occur?
bool mentions_any(const Term &term, const std::set<std::string> &variables);

} // namespace unravel::term
