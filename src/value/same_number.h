#pragma once

#include <cmath>

namespace unravel::value {

/// Are the two one number? NaN is, with another NaN.
inline bool is_same_number(double one, double other) {
  return one == other || (std::isnan(one) && std::isnan(other));
}

} // namespace unravel::value
