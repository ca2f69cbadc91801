#pragma once

#include <cstdint>

namespace unravel::data {

/// Random numbers that are the same for a seed on every platform: splitmix64 and our own distributions, as
/// those of the C++ library differ from one library to the next.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, bound), exactly; bound > 0. (Lemire's method.)
  std::uint64_t below(std::uint64_t bound) {
    auto product = static_cast<unsigned __int128>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      std::uint64_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold)
        product = static_cast<unsigned __int128>(next()) * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Uniform in [-1, 1) without (-1/1024, 1/1024): no value is so small that its product with others drowns.
  double value() {
    for (;;) {
      double uniform = static_cast<double>(next() >> 11) * 0x1p-52 - 1;
      if (uniform >= 0x1p-10 || uniform <= -0x1p-10) return uniform;
    }
  }

private:
  std::uint64_t state_;
};

} // namespace unravel::data
