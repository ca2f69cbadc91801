#pragma once

#include "loop/passes.h"

#include <string>

/// Parallel loops whose threads reduce into copies of a result (Parallel::copied), as they would race for its
/// elements. Each thread sets its copy to the reduction's identity; all copies are reduced into the result
/// behind the loop.
namespace unravel::loop {

/// What the loop reduces the array by that its threads have copies of; + where it does nothing to it.
Operator copied_by(const For &loop);

/// The name of the workspace array with the copies.
std::string copies_of(const std::string &array);

/// Whether the statements do nothing to the array but reduce elements of it by one operator, and hold no
/// parallel loop.
bool only_adds_to(const Block &block, const std::string &array);

/// Declares the workspace of the copies that the loops ask for.
Program reserve_copies(Program program, const Known &known = {});

} // namespace unravel::loop
