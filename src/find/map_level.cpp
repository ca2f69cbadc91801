#include "find/map_level.h"

#include "find/state.h"

namespace unravel::find {

std::optional<std::size_t> map_level(const Obligations &obligations) {
  const scan::Level &found = obligations.level();
  std::vector<term::Term> needed{found.lower, found.upper};
  for (const scan::Component &component : found.components)
    needed.push_back(component.key);
  const std::size_t count = obligations.outer().size();
  for (std::size_t end = 0; end < count; ++end) {
    bool fits = true;
    for (const term::Term &term : needed)
      fits = fits && computable_before(obligations, term, end).has_value();
    if (!fits) continue;
    // Behind assignments that cost nothing: what is decided where the map begins may use them.
    const std::vector<scan::Level> &levels = obligations.nest().levels;
    while (end > 0 && end < count && levels[end].kind == scan::Level::Kind::Let && levels[end].guards.empty())
      ++end;
    if (end < count) return end;
    return std::nullopt;
  }
  return std::nullopt;
}

std::size_t loops_since(const Obligations &obligations, std::size_t level) {
  std::size_t loops = 0;
  for (std::size_t k = level; k < obligations.outer().size(); ++k)
    if (obligations.iterates(k)) ++loops;
  return loops;
}

} // namespace unravel::find
