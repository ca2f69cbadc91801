#pragma once

#include "show/parts.h"

namespace unravel::show {

/// Per find of each plan its template, the obligations with their verdicts, the candidates that lost, with
/// counterexamples.
std::string finds_html(const Parts &parts);

} // namespace unravel::show
