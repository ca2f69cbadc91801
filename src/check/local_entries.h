#pragma once

#include "compute/computation.h"

#include <set>
#include <string>

namespace unravel::check {

/// The locals of which it matters which elements are stored: those that are masks, and what decides that.
std::set<std::string> locals_with_entries(const compute::Program &program);

} // namespace unravel::check
