#pragma once

#include <chrono>

namespace unravel::pipeline {

/// Milliseconds since it was made.
class Stopwatch {
public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
  }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace unravel::pipeline
