#pragma once

#include "loop/loop.h"

#include <set>
#include <string>

/// What a kernel's body mentions, and so needs locals for.
namespace unravel::emit {

/// Everything that the block mentions: sizes, counts, arrays, by qualified names.
std::set<std::string> mentioned(const loop::Block &block);

/// Whether the loop's pragma compares its work with the parameters' members: a local for it would be unused
/// without OpenMP.
bool is_work_in_pragma(const loop::For &loop, const loop::Program &program);
/// The block without its parallel loops.
loop::Block without_parallel(loop::Block block);

} // namespace unravel::emit
