#include "parse/lexer.h"
#include "text/characters.h"

#include <algorithm>
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
    {'|', "absolute values are written `abs(x(i))`"},
    {'@', "a product of matrices has indices: `A(i,k) * B(k,j)`"},
    {'#', "schedules have no comments"},
    {'\'', "a transposed access exchanges the indices: `A(j,i)`"},
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

/// A name, a number, a bracket, or a name with one, that begins (forwards) or ends with the text, spaces
/// aside.
template <class Characters> std::string operand_in(const Characters &text, char opens) {
  auto from = std::ranges::find_if(text, [](char c) { return c != ' '; }), to = from;
  const auto name = [&] {
    to = std::find_if_not(to, text.end(), [](char c) { return text::is_of_name(c) || c == '.'; });
  };
  int depth = 0;
  const auto bracket = [&] {
    for (; to != text.end() && (depth > 0 || *to == opens); ++to)
      depth += *to == opens ? 1 : *to == '(' || *to == ')' ? -1 : 0;
  };
  if (opens == '(') name();
  bracket();
  if (opens == ')') name();
  return depth == 0 ? std::string(from, to) : std::string();
}

std::string in_hexadecimal(const char *format, std::uint32_t value) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

} // namespace

std::string hint_for_power(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view before = text.substr(0, begin), after = text.substr(end);
  std::string base = operand_in(std::string(before.rbegin(), before.rend()), ')');
  std::ranges::reverse(base);
  const std::size_t sign = after.find_first_not_of(' ');
  const bool is_negative = sign != std::string_view::npos && after[sign] == '-';
  std::string exponent = operand_in(after.substr(is_negative ? sign + 1 : 0), '(');
  if (base.empty() || exponent.empty()) return "a power is a product: `x(i) * x(i)`, or `pow(x(i), 2)`";
  if (is_negative) exponent = "-" + exponent;
  const std::string_view inside =
      base.front() == '(' ? std::string_view(base).substr(1, base.size() - 2) : std::string_view(base);
  std::string power = "`pow(" + std::string(inside) + ", " + exponent + ")`";
  return exponent == "2" ? "a power is a product: `" + base + " * " + base + "`, or " + power
                         : "write " + power;
}

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
  const bool is_power =
      character.codepoint == '^' && (dialect == Dialect::Notation || dialect == Dialect::Program);
  const bool is_of_elements =
      dialect != Dialect::Layout && (text.starts_with(".*") || text.starts_with("./"));
  result.hint =
      is_power ? hint_for_power(source->content(), begin, begin + 1)
      : is_of_elements
          ? "elements with the same indices are multiplied and divided by `*` and `/`: `A(i,j) * B(i,j)`"
          : hint_for(character.codepoint, dialect);
  return result;
}

} // namespace unravel::parse
