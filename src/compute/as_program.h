#pragma once

#include "compute/computation.h"
#include "compute/old_value.h"

#include <optional>

namespace unravel::compute {

struct AsProgram {
  parse::ProgramTree tree;
  std::string local = {};             // of elements that are computed from their old values: it has the
                                      // result's type
  std::optional<LineOfOld> line = {}; // of elements that are computed from their old values
};

/// The program that a line stands for, where free statements don't say it: `argmin`, and elements that are
/// computed from their own old values. Throws as make_computation.
std::optional<AsProgram> as_program(const parse::AssignmentTree &line, const Fills &fills);

} // namespace unravel::compute
