#pragma once

#include "loop/passes.h"

#include <string_view>

namespace unravel::test {

/// A kernel as the last pass leaves it: its loops say which of them keep their sums in vectors.
inline loop::Program read_kernel(std::string_view text) {
  return loop::sums_in_vectors(loop::parse_program(text));
}

} // namespace unravel::test
