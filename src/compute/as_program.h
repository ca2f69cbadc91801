#pragma once

#include "compute/computation.h"

#include <optional>

namespace unravel::compute {

/// The program that a line stands for, where free statements don't say it: `argmin`, and elements that are
/// computed from their own old values. Throws as make_computation.
std::optional<parse::ProgramTree> as_program(const parse::AssignmentTree &line, const Fills &fills);

} // namespace unravel::compute
