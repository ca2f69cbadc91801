#pragma once

#include "tool/limited.h"

#include <nlohmann/json.hpp>
#include <string>

namespace unravel::tool {

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
