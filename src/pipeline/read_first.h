#pragma once

#include "pipeline.h"

#include <functional>

/// Statements of programs whose value isn't a sum of parts that may be done where sparse factors are stored.
namespace unravel::pipeline {

/// What `make` makes of the request. Where it refuses a statement whose value can't be taken apart so, the
/// program is compiled with what that reads of operands with entries read first, into scalars:
///
///     for i { y(i) *= x(i); }    is    for i { let x_read = x(i); y(i) *= x_read; }
Compilation with_reads_first(const Request &request, const Front &front,
                             const std::function<Compilation()> &make);

} // namespace unravel::pipeline
