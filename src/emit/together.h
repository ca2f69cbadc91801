#pragma once

#include "loop/loop.h"

/// The two halves of a loop that tests many iterations at once (For::together > 1).
namespace unravel::emit {

/// The Lets before the If that its condition needs.
loop::Block tested_lets(const loop::For &x);
/// The workspace's array of bits, if all that is tested of its elements is whether they are set; else empty.
std::string tested_bits(const loop::For &x, const loop::Program &program);
/// What an iteration whose condition holds does.
loop::Block accepted(const loop::For &x);

} // namespace unravel::emit
