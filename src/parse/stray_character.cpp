#include "parse/lexer.h"

#include <cstdio>

namespace unravel::parse {

namespace {

struct Character {
  std::size_t length = 1;      // in bytes
  std::uint32_t codepoint = 0; // meaningful when `valid`
  bool valid = false;          // well-formed UTF-8
};

/// One character of UTF-8 (overlong forms and surrogates are not well-formed).
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

/// Control and formatting characters would garble the message (or hide in it).
bool is_showable(std::uint32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD || c == 0x61C) return false;
  if ((c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) || (c >= 0x205F && c <= 0x206F))
    return false;
  return c != 0x3000 && c != 0xFEFF && !(c >= 0xE000 && c <= 0xF8FF) && c < 0xE0000;
}

struct Replacement {
  std::uint32_t codepoint;
  const char *hint;
};

/// What is meant by characters that people paste from papers and from other languages.
constexpr Replacement in_every_language[] = {
    {0x00D7, "write `*`"}, {0x00B7, "write `*`"}, {0x2217, "write `*`"}, {0x22C5, "write `*`"},
    {0x2212, "write `-`"}, {0x2013, "write `-`"}, {0x2014, "write `-`"}, {0x00A0, "write a plain space"},
};

constexpr Replacement in_layouts[] = {
    {'&', "`and` is written `and` or `&&`"},
    {'|', "`or` is written `or` or `||`; a relation's formula follows `:`"},
    {'%', "a remainder is written `a mod b`"},
    {0x2264, "write `<=`"},
    {0x2265, "write `>=`"},
    {0x2260, "write `!=`"},
    {0x2227, "write `and`"},
    {0x2228, "write `or`"},
    {0x00AC, "write `not`"},
    {0x2192, "write `->`"},
    {0x21D2, "write `=>`"},
    {0x2200, "write `forall`"},
    {0x230A, "write `floor(a / b)`"},
    {0x2308, "write `ceil(a / b)`"},
};

constexpr Replacement in_notation[] = {
    {'.', "decimal numbers are written `0.5`"},
    {'#', "schedules have no comments"},
    {'\'', "a transposed access exchanges the indices: `A(j,i)`"},
    {'^', "a power is a product: `x(i) * x(i)`, or `pow(x(i), 2)`"},
    {0x2211, "indices that do not occur on the left are summed over"},
    {0x03A3, "indices that do not occur on the left are summed over"},
};

template <std::size_t count> std::string hint_in(const Replacement (&table)[count], std::uint32_t codepoint) {
  for (const Replacement &replacement : table)
    if (replacement.codepoint == codepoint) return replacement.hint;
  return {};
}

std::string hint_for(std::uint32_t codepoint, Dialect dialect) {
  std::string hint = hint_in(in_every_language, codepoint);
  if (hint.empty() && dialect == Dialect::Layout) hint = hint_in(in_layouts, codepoint);
  if (hint.empty() && (dialect == Dialect::Notation || dialect == Dialect::Program))
    hint = hint_in(in_notation, codepoint);
  return hint;
}

std::string in_hexadecimal(const char *format, std::uint32_t value) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

} // namespace

report::Diagnostic describe_stray(const std::shared_ptr<const text::Source> &source, std::size_t begin,
                                  Dialect dialect) {
  std::string_view text = source->content().substr(begin);
  Character character = decode(text);
  report::Diagnostic result{
      report::Kind::stray_character, source->place(begin, begin + character.length), {}, {}};
  if (!character.valid) {
    result.message =
        "byte " + in_hexadecimal("0x%02X", static_cast<unsigned char>(text[0])) + " is not UTF-8 text";
    return result;
  }
  std::string name = in_hexadecimal("U+%04X", character.codepoint);
  std::string shown = "`" + std::string(text.substr(0, character.length)) + "`";
  if (!is_showable(character.codepoint))
    shown = name;
  else if (character.codepoint >= 0x80)
    shown += " (" + name + ")";
  result.message = "stray character " + shown;
  result.hint = hint_for(character.codepoint, dialect);
  return result;
}

} // namespace unravel::parse
