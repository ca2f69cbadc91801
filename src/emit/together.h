#pragma once

#include "loop/loop.h"

#include <set>
#include <string>

/// The two halves of a loop that tests many iterations at once (For::together > 1).
namespace unravel::emit {

/// The Lets before the If that its condition needs.
loop::Block tested_lets(const loop::For &x);
/// The workspace's array of bits, if all that is tested of its elements is whether they are set; else empty.
std::string tested_bits(const loop::For &x, const loop::Program &program);
/// The workspace's arrays of bits that loops go over, or of which whole words are cleared. They are written
/// as a byte for each bit, 255 where it is set, and behind these one for each block of 64, which is 255 where
/// one of them is set, and perhaps where none is: so bits are set without anything being read, and found 64
/// at once.
std::set<std::string> marked_sets(const loop::Program &program);
/// Does the statement behind a loop over such a set take all out of it, so that the loop may do it block by
/// block?
bool takes_all_out(const loop::Statement &loop, const loop::Statement &next, const loop::Program &program);
/// What an iteration whose condition holds does.
loop::Block accepted(const loop::For &x);

} // namespace unravel::emit
