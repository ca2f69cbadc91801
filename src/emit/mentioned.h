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
/// The program's block without what is compared with members: work in pragmas, conditions of masked loops.
loop::Block without_work(loop::Block block, const loop::Program &program);

/// The block without its parallel loops.
loop::Block without_parallel(loop::Block block);

/// Arrays of several extents: these are used where a slot is computed of more than the last subscript.
void add_extents(const loop::Program &program, const loop::Block &body, std::set<std::string> &names);

/// Whether a parameter, or a size, is mentioned, so that C compilers don't warn about it.
bool is_used(const std::string &size, const loop::Program &program, const std::set<std::string> &used);
bool is_used(const loop::TensorParameter &parameter, const loop::Program &program,
             const std::set<std::string> &used);

} // namespace unravel::emit
