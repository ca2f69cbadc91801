#pragma once

#include <string>
#include <string_view>

namespace unravel::show {

/// The text as HTML (and XML) shows it, in elements and in quoted attributes. What isn't ASCII, or a control
/// character, becomes a question mark: expressions, schedules and C have none.
inline std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text)
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (c == '\'')
      result += "&#39;";
    else if (c == '\n' || c == '\t' || (c >= ' ' && c < 0x7F))
      result += c;
    else
      result += '?';
  return result;
}

} // namespace unravel::show
