#pragma once

#include <string>

namespace unravel::emit {

// C's precedences, the tightest first.
inline constexpr int primary = 10;
inline constexpr int unary = 9;
inline constexpr int multiplicative = 8;
inline constexpr int additive = 7;
inline constexpr int relational = 6;
inline constexpr int equality = 5;
inline constexpr int both = 4;
inline constexpr int either = 3;

inline std::string wrap(const std::string &text, bool parentheses) {
  return parentheses ? "(" + text + ")" : text;
}

} // namespace unravel::emit
