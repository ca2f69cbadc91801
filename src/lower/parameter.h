#pragma once

#include "lower/lower.h"

namespace unravel::lower {

/// A tensor with its layout, as a parameter of kernels.
loop::TensorParameter parameter(const combine::Binding &binding, const LowerOptions &options);

} // namespace unravel::lower
