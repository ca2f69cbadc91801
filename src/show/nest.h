#pragma once

#include "show/parts.h"

namespace unravel::show {

/// The levels of all nests, a row each, coloured and named by what they carry, and beside them an arrow for
/// each dependence: from the access that comes first up to the loop that carries it, and down again to the
/// access that comes later.
std::string nests_html(const Parts &parts);

/// Per loop its verdict, the dependences that it carries with directions and distances, their relation, an
/// example.
std::string dependences_html(const Parts &parts);

/// The constraints of each iteration space, numbered.
std::string spaces_html(const Parts &parts);

} // namespace unravel::show
