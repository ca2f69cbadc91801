#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Characters of UTF-8, by which places count columns.
namespace unravel::text {

/// Without the byte order mark that some programs put in front of a text in UTF-8.
std::string_view without_byte_order_mark(std::string_view text);

struct Character {
  std::size_t length = 1;      // in bytes
  std::uint32_t codepoint = 0; // meaningful when `valid`
  bool valid = false;          // well-formed UTF-8
};

/// In ASCII, whatever the locale is. An underscore is a letter of names.
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
/// A letter or a digit: what a name goes on with.
constexpr bool is_of_name(char c) {
  return is_letter(c) || is_digit(c);
}

/// The first character (overlong forms and surrogates are not well-formed: then it is a byte). Precondition:
/// the text isn't empty.
Character decode(std::string_view text);
/// Control and formatting characters would garble a message (or hide in it).
bool is_showable(std::uint32_t codepoint);
/// How many characters the text has. O(text).
std::size_t characters_in(std::string_view text);
/// The text as it may be shown in a message: at most 40 characters, unprintable bytes as \xNN.
std::string printable(std::string_view characters);

} // namespace unravel::text
