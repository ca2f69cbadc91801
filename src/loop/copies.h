#pragma once

#include "loop/passes.h"

#include <string>

/// Parallel loops whose threads add to copies of a result (Parallel::copied), as they would race for its
/// elements. A copy is zero but for the blocks that its thread has touched, which it marks: only these are
/// added to the result, and are set to zero again.
namespace unravel::loop {

/// Elements of the result per mark.
inline constexpr int copied_block = 1024;

/// The names of the workspace arrays with the copies and the marks.
std::string copies_of(const std::string &array);
std::string marks_of(const std::string &array);

/// Whether the loop does nothing to the array but reduce elements of it by operators, and holds no parallel
/// loop.
bool only_adds_to(const For &loop, const std::string &array);

/// Declares the workspace of the copies that the loops ask for.
Program reserve_copies(Program program, const Known &known = {});

} // namespace unravel::loop
