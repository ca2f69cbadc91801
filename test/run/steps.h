#pragma once

#include "run/session.h"

#include <cstdint>

namespace unravel::run::test {

/// What a kernel did in the interpreter.
struct Count {
  std::int64_t steps = 0;  // iterations, elements that are touched, products
  std::int64_t slots = 0;  // of all arrays, and extents
  bool has_values = false; // has it computed anything but zeros?
};

/// The kernel may have been compiled without the data. Fails where it does more iterations than `most`, and
/// than so many per slot that there is before it runs.
Count count_steps(Prepared prepared, const pipeline::Compilation &compilation, std::int64_t most,
                  std::int64_t per_slot);

} // namespace unravel::run::test
