#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
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

/// What a user types into the page of `unravel serve`, made by this program itself, in a process of its own.
class Playground {
public:
  /// `program`: the path of `unravel`.
  Playground(std::string program, Limits limits) : program_(std::move(program)), limits_(limits) {}

  /// `asked`: an object with the texts "text", "formats", "schedule", "inputs", "layouts" (what is missing is
  /// empty). The answer: "state", a line; "message", what the compiler said; "page", a report as HTML, empty
  /// where there is none. No file is read or written but in a folder that is gone afterwards; data come from
  /// generators alone.
  nlohmann::json answer(const nlohmann::json &asked) const;

private:
  std::string program_;
  Limits limits_;
};

} // namespace unravel::tool
