#include "scan/nest.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace unravel::scan {

using term::Term;

std::vector<Term> terms_of(const Level &level) {
  std::vector<Term> terms{level.lower, level.upper, level.value};
  for (const Component &component : level.components)
    terms.insert(terms.end(), {component.key, component.target, component.width});
  terms.insert(terms.end(), level.guards.begin(), level.guards.end());
  return terms;
}

Term through_lets(Term term, const std::vector<Level> &levels, std::size_t from) {
  for (std::size_t k = levels.size(); k-- > from;)
    if (levels[k].is_let()) term = term::substitute(term, {{levels[k].variable, levels[k].value}});
  return term;
}

std::size_t loops_between(const std::vector<Level> &levels, std::size_t from, std::size_t to) {
  const auto part = std::span(levels).subspan(from, to - from);
  return static_cast<std::size_t>(std::ranges::count_if(part, &Level::is_loop));
}

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
