#pragma once

#include "emit/expression.h"
#include "emit/names.h"
#include "loop/loop.h"

#include <string>

namespace unravel::emit {

/// What compilers are told before a sequential loop about vectors: of a simd loop that it may have them
/// (`openmp`: also by OpenMP), of a brief one that it gets none. `inside`: it stands in another loop.
/// `at_entries`: in one whose iterations are entries (is_over_entries).
std::string vector_pragmas(const loop::For &loop, bool inside, bool at_entries, bool openmp,
                           const Names &names, const Expressions &expressions);

/// Does each iteration read what is stored at its position: a coordinate, say? Loops over dense modes in it
/// run along rows of other tensors, which lie anywhere.
bool is_over_entries(const loop::For &loop);

/// The reduction of an OpenMP clause for that operator: `+`, or one that is declared in the C files.
std::string reduction_name(const loop::Operator &by, loop::ElementType type, const Expressions &expressions);

/// Whether clang is told so without OpenMP of a simd loop with sums: it must be allowed to reassociate, then.
bool sums_for_clang(const loop::For &loop, bool inside);

/// How the iterations of a parallel loop are shared out, an OpenMP clause. `work`: the loop's, as text.
std::string schedule_text(const loop::For &loop, const std::string &work, const Expressions &expressions);

} // namespace unravel::emit
