#include "text/characters.h"

namespace unravel::text {

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

Character decode(std::string_view text) {
  auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead, true};
  std::size_t length = lead >= 0xF0 && lead < 0xF5   ? 4
                       : lead >= 0xE0 && lead < 0xF0 ? 3
                       : lead >= 0xC2 && lead < 0xE0 ? 2
                                                     : 0;
  if (length == 0 || text.size() < length) return {};
  std::uint32_t codepoint = lead & (0x7Fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return {};
    codepoint = codepoint << 6 | (byte(k) & 0x3Fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (codepoint < least[length] || codepoint > 0x10FFFF || (codepoint >= 0xD800 && codepoint < 0xE000))
    return {};
  return {length, codepoint, true};
}

bool is_showable(std::uint32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD || c == 0x61C) return false;
  if ((c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) || (c >= 0x205F && c <= 0x206F))
    return false;
  return c != 0x3000 && c != 0xFEFF && !(c >= 0xE000 && c <= 0xF8FF) && c < 0xE0000;
}

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count)
    text.remove_prefix(decode(text).length);
  return count;
}

std::string printable(std::string_view characters) {
  constexpr char digits[] = "0123456789abcdef";
  std::string result;
  for (unsigned char c : characters.substr(0, 40)) {
    if (c >= 32 && c <= 126)
      result += static_cast<char>(c);
    else
      result.append("\\x").append(1, digits[c / 16]).append(1, digits[c % 16]);
  }
  return characters.size() > 40 ? result + "..." : result;
}

} // namespace unravel::text
