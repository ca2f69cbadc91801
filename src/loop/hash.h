#pragma once

#include <cstdint>
#include <string_view>

/// The built-in function hash(n, k, ...): for the interpreter; kernels have it as C (emit/c/functions.c, and
/// a test compares them).
namespace unravel::loop {

inline constexpr std::string_view hash_name = "hash";

/// The state after one more key; the first one starts from 0. Multiplication by 2^64 / golden ratio spreads
/// keys that lie close together; the upper half is folded in, since it alone depends on all bits.
constexpr std::uint64_t hash_key(std::uint64_t state, std::int64_t key) {
  std::uint64_t product = (state ^ static_cast<std::uint64_t>(key)) * 0x9E3779B97F4A7C15U;
  return product ^ (product >> 32);
}

/// The state as a number in [0, n). Precondition: 0 <= n < 2^31.
constexpr std::int64_t hash_range(std::uint64_t state, std::int64_t n) {
  return static_cast<std::int64_t>(((state >> 32) * static_cast<std::uint64_t>(n)) >> 32);
}

} // namespace unravel::loop
