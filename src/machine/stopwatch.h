#pragma once

#include <chrono>

namespace unravel::machine {

/// Runs from its making on.
class Stopwatch {
public:
  double nanoseconds() const {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start_).count();
  }
  double milliseconds() const { return nanoseconds() / 1e6; }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace unravel::machine
