#pragma once

#include "lower/lower.h"

#include <map>
#include <string>

namespace unravel::lower {

/// The names of the layout's sizes and counts, and those that a kernel gives them: "M" and "A.M".
std::map<std::string, std::string> qualified_names(const combine::Binding &binding);

/// A tensor with its layout, as a parameter of kernels.
loop::TensorParameter parameter(const combine::Binding &binding, const LowerOptions &options);

} // namespace unravel::lower
