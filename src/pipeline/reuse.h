#pragma once

#include "pipeline.h"

/// `reuse`: the structure of a sparse result is made once, its values are computed again and again.
namespace unravel::pipeline {

/// Two kernels: one that assembles the result without its values, and one for these, in
/// Compilation::values, which takes the same arguments. Throws where the result isn't assembled by one line
/// of index notation.
Compilation compile_for_reuse(const Request &request, const Front &front);

} // namespace unravel::pipeline
