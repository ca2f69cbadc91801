#pragma once

#include "loop/loop.h"

/// What every pass, the interpreter and the emitter rely on.
namespace unravel::loop {

/// Fails with kind internal unless: names are declared before they are used, of the right sort, and not
/// declared again while in scope; applications and elements name arrays of the parameters, with as many
/// arguments as extents, or the function hash; only arrays of the result and of the workspace are written, by
/// SetElement only those of integers or bits, bits with 0 or 1 and in a parallel loop only
/// those that each thread has; workspace arrays begin as 0 or -1 (integers) or 0 (others), or as anything,
/// and their extents and conditions read no array; IfValue asks for a local; a loop that tests iterations
/// together has the form for it (may_test_together) and tests at most 64; a simd loop has step 1, no loop or
/// Break stands in it, and to locals that are declared outside it does nothing but add; a masked one is
/// neither parallel nor simd, and its condition is over sizes and counts; a loop for a team has the form of
/// one; Assign changes Declare'd variables alone; a step is positive; Break stands in a loop and leaves no
/// parallel one and no intersection; the keys of an intersection have one extent and aren't written in it;
/// products have two factors or more; and no iteration of a parallel loop changes a variable or a local that
/// was declared outside of the loop, but by adding to its sum, which none reads, or an element whose slot
/// doesn't depend on the iteration (a race). Of an assembled result: the counts are read by nothing, and each
/// is set once, by a statement of the body itself; what is reserved for a count are the arrays with an extent
/// that mentions it, the first one, which mentions no other; that stands in no parallel or simd loop, and
/// before the count is set; preconditions and the workspace don't mention its counts or arrays.
void verify(const Program &program);

} // namespace unravel::loop
