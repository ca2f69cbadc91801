// Nests as text.
#include "scan/nest.h"

#include <fmt/format.h>

namespace unravel::scan {

namespace {

std::string range(const Level &level) {
  return fmt::format("{} in [{}, {})", level.variable, term::to_text(level.lower),
                     term::to_text(level.upper));
}

std::string print_component(const Component &component) {
  std::string key = term::to_text(component.key);
  std::string target = term::to_text(component.target);
  if (component.is_equality()) return fmt::format("{} = {}", key, target);
  return fmt::format("{} <= {} < {}", key, target, term::to_text(component.key + component.width));
}

} // namespace

std::string to_text(const Level &level) {
  switch (level.kind) {
  case Level::Kind::Loop: return "loop " + range(level);
  case Level::Kind::Let: return fmt::format("let {} = {}", level.variable, term::to_text(level.value));
  case Level::Kind::Find: {
    std::string text = "find " + range(level);
    for (std::size_t k = 0; k < level.components.size(); ++k)
      text += (k == 0 ? " where " : " and ") + print_component(level.components[k]);
    return text;
  }
  }
  return {};
}

std::string to_text(const Nest &nest) {
  std::string text;
  for (const Level &level : nest.levels) {
    text += to_text(level) + "\n";
    for (const term::Term &guard : level.guards)
      text += "  if " + term::to_text(guard) + "\n";
  }
  return text;
}

} // namespace unravel::scan
