#pragma once

#include "loop/loop.h"

#include <set>
#include <string>

/// Loops that test many iterations at once (For::together > 1); at_once.cpp writes them.
namespace unravel::emit {

/// The workspace's arrays of bits that loops go over, or of which whole words are cleared. They are written
/// as a byte for each bit, 255 where it is set, and behind these one for each block of 64, which is 255 where
/// one of them is set, and perhaps where none is: so bits are set without anything being read, and found 64
/// at once.
std::set<std::string> marked_sets(const loop::Program &program);
/// Does the statement behind a loop over such a set take all out of it, so that the loop may do it block by
/// block?
bool takes_all_out(const loop::Statement &loop, const loop::Statement &next, const loop::Program &program);

} // namespace unravel::emit
