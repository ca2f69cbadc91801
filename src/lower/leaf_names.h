#pragma once

#include "loop/loop.h"

#include <set>
#include <string>

/// The leaves of a kernel stand one after the other in one block.
namespace unravel::lower {

/// Renames what the leaf declares, anywhere in it, where an earlier leaf has declared the same name in its
/// outermost block: a state that both begin with, a sum. `taken`: those names of the leaves before; the
/// leaf's are added.
void keep_apart(loop::Block &leaf, std::set<std::string> &taken);

} // namespace unravel::lower
