#pragma once

#include "compute/computation.h"

/// `repeat`: rounds of a program.
namespace unravel::compute {

/// Loops in place of all `repeat`, over a variable that nothing else is called by. What ends them is a scalar
/// of each round, set behind all else to whether the condition holds.
parse::ProgramTree with_rounds_as_loops(parse::ProgramTree tree);

/// Throws a mistake where a condition reads anything but scalars, or nothing that its rounds change.
void check_rounds(const Computation &computation);

} // namespace unravel::compute
