#pragma once

#include "pipeline.h"
#include "run/session.h"
#include "run/tiling.h"

#include <map>
#include <string>
#include <vector>

namespace unravel::show {

/// A computation with its schedule on one page, for `--report`.
struct Page {
  const pipeline::Compilation &compilation;                       // made with details
  std::vector<std::string> schedules = {};                        // as typed
  const run::Tiling *tiling = nullptr;                            // where there are tiles
  const std::map<std::string, tensor::Tensor> *tensors = nullptr; // where there are data
  std::int64_t max_memory = 0;
  const run::Report *ran = nullptr; // where it was run
};

/// A whole HTML document that is well-formed XML too and needs nothing else: no file, no network.
/// Everything that comes from a user's text is escaped.
std::string to_html(const Page &page);

} // namespace unravel::show
