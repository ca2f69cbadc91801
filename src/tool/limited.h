#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace unravel::tool {

struct Limits {
  int seconds = 10;             // of CPU time, and three times as many by the clock
  std::int64_t memory = 0;      // bytes of address space; 0: no limit
  std::size_t output = 1 << 20; // bytes that are kept of what it prints
};

struct Finished {
  int code = 0; // of a program that was ended: 128 + the signal's number
  bool took_too_long = false;
  std::string output; // both streams, as they came
};

/// Runs a program in a folder, without input, and waits for it. The first word is the program's path. Throws
/// cannot_read where it can't be started.
Finished run_limited(const std::vector<std::string> &command, const std::string &folder,
                     const Limits &limits);

} // namespace unravel::tool
