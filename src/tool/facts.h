#pragma once

#include "pipeline.h"
#include "run/session.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

/// What is known of a kernel after it was made, for people and for programs.
namespace unravel::tool {

/// "loops" and "finds" as in docs/command-line.md.
nlohmann::json loops_json(const pipeline::Compilation &compilation);
nlohmann::json finds_json(const pipeline::Compilation &compilation);
nlohmann::json run_json(const run::Report &report);
nlohmann::json dependences_json(const pipeline::Compilation &compilation);

/// A few lines: one per loop and find.
std::string loops_text(const pipeline::Compilation &compilation);
std::string run_text(const run::Report &report);

/// Every obligation with verdict and time.
std::string obligations_text(const pipeline::Compilation &compilation);
nlohmann::json obligations_json(const pipeline::Compilation &compilation);

} // namespace unravel::tool
