#include "show/highlight.h"

#include "show/html.h"
#include "text/characters.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace unravel::show {

namespace {

constexpr std::array words = {
    "break",    "case",     "char",     "const",  "continue", "default", "do",      "double",  "else",
    "enum",     "extern",   "float",    "for",    "goto",     "if",      "inline",  "int",     "long",
    "return",   "short",    "signed",   "sizeof", "static",   "struct",  "switch",  "typedef", "union",
    "unsigned", "void",     "while",    "bool",   "int8_t",   "int16_t", "int32_t", "int64_t", "uint8_t",
    "uint16_t", "uint32_t", "uint64_t", "size_t", "complex",  "_Complex"};

std::string span(std::string_view kind, std::string_view text) {
  return "<span class=\"c-" + std::string(kind) + "\">" + escaped(text) + "</span>";
}

/// Where what begins at `from` ends: a number takes its exponent's sign along.
std::size_t end_of_word(std::string_view code, std::size_t from) {
  const bool is_number = text::is_digit(code[from]);
  std::size_t end = from;
  while (end < code.size() && (text::is_of_name(code[end]) || (is_number && code[end] == '.') ||
                               (is_number && (code[end] == '+' || code[end] == '-') &&
                                (code[end - 1] == 'e' || code[end - 1] == 'E'))))
    ++end;
  return end;
}

std::size_t end_of_text(std::string_view code, std::size_t from) {
  std::size_t end = from + 1;
  while (end < code.size() && code[end] != code[from])
    end += code[end] == '\\' ? 2 : 1;
  return std::min(end + 1, code.size());
}

} // namespace

std::string Highlighter::line(const std::string &code) {
  const std::string_view all = code;
  std::string html;
  std::size_t at = 0;
  const std::size_t first = all.find_first_not_of(' ');
  if (!in_comment_ && first != std::string_view::npos && all[first] == '#') return span("directive", all);
  while (at < all.size()) {
    std::size_t end = at + 1;
    if (in_comment_ || all.substr(at, 2) == "/*") {
      const std::size_t close = all.find("*/", in_comment_ ? at : at + 2);
      in_comment_ = close == std::string_view::npos;
      end = in_comment_ ? all.size() : close + 2;
      html += span("comment", all.substr(at, end - at));
    } else if (all.substr(at, 2) == "//") {
      end = all.size();
      html += span("comment", all.substr(at));
    } else if (all[at] == '"' || all[at] == '\'') {
      end = end_of_text(all, at);
      html += span("text", all.substr(at, end - at));
    } else if (text::is_of_name(all[at])) {
      end = end_of_word(all, at);
      const std::string_view word = all.substr(at, end - at);
      if (text::is_digit(word[0]))
        html += span("number", word);
      else
        html += std::ranges::find(words, word) == words.end() ? escaped(word) : span("word", word);
    } else {
      html += escaped(all.substr(at, 1));
    }
    at = end;
  }
  return html;
}

} // namespace unravel::show
