#include "emit/wrap.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace unravel::emit {

namespace {

/// How gladly a line is broken after this token; the least is the best.
std::optional<std::size_t> reluctance(std::string_view token) {
  if (token == "&&" || token == "||") return 0;
  if (token == "=" || token == "+=" || token == "-=") return 2;
  if (token == "+" || token == "-" || token == "*") return 3;
  if (!token.empty() && (token.back() == ',' || token.back() == ';')) return 1;
  return std::nullopt;
}

struct Break {
  std::size_t end = 0;    // the line's length
  std::size_t column = 0; // of the next line
};

/// The best break of a line that is too long: at the least depth, then by the token, then the last one.
std::optional<Break> find_break(const std::string &line, std::size_t first, std::size_t continuation) {
  std::vector<std::size_t> open; // columns behind open parentheses
  std::optional<Break> best;
  std::size_t best_cost = 0;
  std::size_t token = first;
  for (std::size_t k = first; k < line.size() && k <= line_width; ++k) {
    if (line[k] == '(' || line[k] == '[') open.push_back(k + 1);
    if ((line[k] == ')' || line[k] == ']') && !open.empty()) open.pop_back();
    if (line[k] != ' ') continue;
    auto cost = reluctance(std::string_view(line).substr(token, k - token));
    token = k + 1;
    if (!cost || k + 1 == line.size()) continue;
    std::size_t total = 4 * open.size() + *cost;
    if (best && total > best_cost) continue;
    best_cost = total;
    best = Break{k, open.empty() || open.back() > line_width / 2 ? continuation : open.back()};
  }
  return best;
}

} // namespace

std::string wrap_text(const std::string &text, const std::string &prefix, const std::string &hang) {
  std::string result;
  std::string line = prefix;
  bool is_empty = true;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    at = end + 1;
    if (!is_empty && line.size() + 1 + word.size() > line_width) {
      result += line + "\n";
      line = prefix + hang;
      is_empty = true;
    }
    line += (is_empty ? "" : " ") + word;
    is_empty = false;
  }
  return result + line + "\n";
}

std::string wrap_code(std::string text, const std::string &indent) {
  std::string result;
  std::string line = indent + text;
  std::size_t first = indent.size();
  while (line.size() > line_width) {
    auto found = find_break(line, first, indent.size() + 4);
    if (!found) break;
    result += line.substr(0, found->end) + "\n";
    line = std::string(found->column, ' ') + line.substr(found->end + 1);
    first = found->column;
  }
  return result + line + "\n";
}

std::string comment_text(const std::string &text) {
  std::string result;
  for (char c : text) {
    unsigned char byte = static_cast<unsigned char>(c);
    char shown = byte < 32 ? ' ' : byte > 126 ? '?' : c == '\\' ? '|' : c;
    if (!result.empty() && ((result.back() == '*' && shown == '/') || (result.back() == '/' && shown == '*')))
      result += ' ';
    if (!result.empty() && result.back() == '?' && shown == '?') continue; // no trigraphs
    result += shown;
  }
  return result;
}

} // namespace unravel::emit
