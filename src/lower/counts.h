#pragma once

#include "combine/space.h"
#include "loop/loop.h"

namespace unravel::lower {

/// Preconditions on operands' counts: that each is what its layout defines it as by an element of an index
/// array, `A.NNZ = A.rowptr(A.M)`. The kernel relies on it, and one look tells. Only where the body reads
/// that array: a caller may leave out what the kernel doesn't touch.
void require_counts(const combine::Combination &combination, loop::Program &program);

} // namespace unravel::lower
