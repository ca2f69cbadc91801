#pragma once

#include <cstdint>

namespace unravel::term {

/// floor(a / divisor), as terms mean it; C++ rounds towards 0. Precondition: divisor > 0.
inline std::int64_t floor_quotient(std::int64_t a, std::int64_t divisor) {
  return a / divisor - (a % divisor < 0 ? 1 : 0);
}

} // namespace unravel::term
