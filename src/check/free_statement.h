#pragma once

#include "check/reference_program.h"

namespace unravel::check {

/// The free statement in loops over its indices: those that subscript what must be stored first, so that its
/// entries tell which values there are.
compute::Statement in_loops(const compute::Statement &free, const ProgramInput &input);

} // namespace unravel::check
