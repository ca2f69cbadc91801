#pragma once

#include "loop/loop.h"

/// The two halves of a loop that tests many iterations at once (For::together > 1).
namespace unravel::emit {

/// The Lets before the If that its condition needs.
loop::Block tested_lets(const loop::For &x);
/// What an iteration whose condition holds does.
loop::Block accepted(const loop::For &x);

} // namespace unravel::emit
