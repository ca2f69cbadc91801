#pragma once

#include "pipeline.h"

#include <string>

namespace unravel::show {

/// Of a product of several tensors: the plan that was taken beside the line as it is written, as pictures,
/// and all plans with what they cost. Empty where there are none.
std::string plans_html(const pipeline::Compilation &compilation);

} // namespace unravel::show
