#pragma once

#include "loop/loop.h"

/// What every pass, the interpreter and the emitter rely on.
namespace unravel::loop {

/// Fails with kind internal unless: names are declared before they are used, of the right sort, and not
/// declared again while in scope; applications and elements name arrays of the parameters, with as many
/// arguments as extents; only arrays of the result are written; Assign changes Declare'd variables alone; a
/// step is positive; Break stands in a loop and doesn't leave a parallel one; products have two factors or
/// more; and no iteration of a parallel loop changes a variable or a local that was declared outside of the
/// loop (a race).
void verify(const Program &program);

} // namespace unravel::loop
