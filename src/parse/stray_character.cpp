#include "parse/lexer.h"
#include "text/characters.h"

#include <cstdio>

namespace unravel::parse {

namespace {

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
  text::Character character = text::decode(text);
  report::Diagnostic result{
      report::Kind::stray_character, source->place(begin, begin + character.length), {}, {}};
  if (!character.valid) {
    result.message =
        "byte " + in_hexadecimal("0x%02X", static_cast<unsigned char>(text[0])) + " is not UTF-8 text";
    return result;
  }
  std::string name = in_hexadecimal("U+%04X", character.codepoint);
  std::string shown = "`" + std::string(text.substr(0, character.length)) + "`";
  if (!text::is_showable(character.codepoint))
    shown = name;
  else if (character.codepoint >= 0x80)
    shown += " (" + name + ")";
  result.message = "stray character " + shown;
  result.hint = hint_for(character.codepoint, dialect);
  return result;
}

} // namespace unravel::parse
