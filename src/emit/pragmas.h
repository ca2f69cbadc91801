#pragma once

#include "loop/loop.h"

#include <string>

namespace unravel::emit {

/// What compilers are told before a sequential loop about vectors: of a simd loop that it may have them
/// (`openmp`: also by OpenMP), of a brief one that it gets none.
std::string vector_pragmas(const loop::For &loop, bool openmp);

} // namespace unravel::emit
