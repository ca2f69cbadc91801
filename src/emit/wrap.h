#pragma once

#include <string>

/// Long lines of the C text, broken where a person would break them.
namespace unravel::emit {

/// Columns that a line should not exceed; a longer word stays whole.
inline constexpr std::size_t line_width = 100;

/// `text` broken at spaces, each line behind `prefix`; later lines are indented by `hang`.
std::string wrap_text(const std::string &text, const std::string &prefix, const std::string &hang = "");

/// A line of C behind `indent`, broken after operators and commas: the outermost first, && and || before the
/// others. What follows stands behind the parenthesis that is open there, or four columns further in.
/// Precondition: no comment, string or preprocessor directive.
std::string wrap_code(std::string text, const std::string &indent);

/// Text that can't end a comment or a line early.
std::string comment_text(const std::string &text);

} // namespace unravel::emit
