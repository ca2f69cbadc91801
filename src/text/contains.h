#pragma once

#include <algorithm>
#include <functional>
#include <ranges>

namespace unravel {

/// Is the value in the range, or with `of` what that gives of its elements? Time: linear.
template <std::ranges::input_range Range, class Value, class Projection = std::identity>
bool contains(const Range &range, const Value &value, Projection of = {}) {
  return std::ranges::find(range, value, of) != std::ranges::end(range);
}

} // namespace unravel
