#pragma once

#include "loop/load.h"
#include "loop/loop.h"

#include <set>
#include <string>

/// Blocks that do nothing but add may be executed in any order, and so be merged loop by loop.
namespace unravel::loop {

/// Whether the statements are Lets, ifs and loops around nothing but additions to elements of arrays, none of
/// which they read, and no thread adds to a copy. Such blocks commute.
bool only_adds(const Block &block);
bool only_adds(const Statement &statement);

/// One block with the effect of both. Lets come first; of those with equal values one remains. Loops with
/// equal bounds, and ifs with equal conditions, become one around both bodies; such a loop is neither
/// parallel nor a simd loop. Precondition: only_adds of the two together, and `second` declares no name in an
/// inner block that `first` declares at its top.
Block jam(Block first, Block second, FreshNames &names);

/// Whether all that iterations of the loop add to is, of each array, one element that lies elsewhere in every
/// other iteration, whatever `around` declares: iterations may run in any order, then, and at the same time.
/// Precondition: only_adds of the body.
bool keeps_to_its_element(const For &loop, const Effects &around);

/// Gives what the block declares under names of `taken` other names. Precondition: only_adds.
void keep_apart(Block &block, const std::set<std::string> &taken, FreshNames &names);

/// The variable stands for `by` everywhere in the block.
void substitute_variable(Block &block, const std::string &variable, const term::Term &by);

} // namespace unravel::loop
