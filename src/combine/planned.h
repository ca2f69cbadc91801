#pragma once

#include "combine/space.h"

namespace unravel::combine {

/// As combine(), but what a plan multiplies behind a sum isn't multiplied with each of its terms instead
/// (forward.h).
Combination combine_planned(const compute::Computation &planned,
                            const std::map<std::string, layout::Layout> &layouts);

} // namespace unravel::combine
