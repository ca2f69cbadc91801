#pragma once

#include "pipeline.h"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// What `unravel deps` says of wavefronts.
namespace unravel::tool {

/// Of an outermost loop that carries dependences: whether it can run in wavefronts, as compiling it so tells.
struct WavefrontAnswer {
  std::string loop;
  std::shared_ptr<const pipeline::Compilation> possible; // in wavefronts, packed where that can be; or null
  std::string hindrance;                                 // why not, in one line
};

/// One per loop of a program, in the order of the text; none of sums of products. `request`: what made the
/// compilation. Where its schedule asks for wavefronts, these are looked at alone.
std::vector<WavefrontAnswer> wavefront_answers(const pipeline::Request &request,
                                               const pipeline::Compilation &compilation);

/// A line per loop, and one per statement whose instances wait, or are waited for.
std::string to_text(const std::vector<WavefrontAnswer> &answers);
/// "wavefronts" as in docs/command-line.md.
nlohmann::json to_json(const std::vector<WavefrontAnswer> &answers);

} // namespace unravel::tool
