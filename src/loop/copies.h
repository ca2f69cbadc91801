#pragma once

#include "loop/passes.h"

#include <string>

/// Parallel loops whose threads reduce into copies of a result (Parallel::copied), as they would race for its
/// elements. A copy holds the reduction's identity but for the blocks that its thread has touched, which it
/// marks: only these are reduced into the result, and hold the identity again then.
namespace unravel::loop {

/// Elements of the result per mark.
inline constexpr int copied_block = 1024;

/// What the loop reduces the array by that its threads have copies of; + where it does nothing to it.
Operator copied_by(const For &loop);

/// The names of the workspace arrays with the copies, one for each identity, and the marks.
std::string copies_of(const std::string &array, const Operator &by);
std::string marks_of(const std::string &array);

/// Whether the statements do nothing to the array but reduce elements of it by one operator, and hold no
/// parallel loop.
bool only_adds_to(const Block &block, const std::string &array);

/// Declares the workspace of the copies that the loops ask for.
Program reserve_copies(Program program, const Known &known = {});

} // namespace unravel::loop
