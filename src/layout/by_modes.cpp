#include "layout/by_modes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unravel::layout {

parse::LayoutReference layout_by_modes(const std::vector<std::size_t> &modes) {
  parse::LayoutReference made;
  if (modes.size() == 2) {
    made.name = modes.front() == 0 ? "csr" : "csc";
    return made;
  }
  made.name = "csf";
  made.parameters.assign(modes.begin(), modes.end());
  return made;
}

std::string to_text(const parse::LayoutReference &shipped) {
  if (shipped.parameters.empty()) return shipped.name;
  return fmt::format("{}<{}>", shipped.name, fmt::join(shipped.parameters, ","));
}

} // namespace unravel::layout
