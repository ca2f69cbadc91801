#pragma once

#include "term/term.h"

#include <cstddef>
#include <string_view>

/// The reader of the notation that term::to_text writes, for tests and for stages that are started from text.
/// to_text(read_term(text)) == text for every text that to_text made. Names are made of letters, digits and
/// `_`, `.`, `#`; `and or not true false mod floor ceil min max` are words of the notation.
namespace unravel::term {

/// Reads the whole text. Fails with kind bad_ir_text.
Term read_term(std::string_view text);

/// Reads the longest term that begins at `at` and moves `at` behind it.
Term read_term(std::string_view text, std::size_t &at);

/// Whether a character may stand in a name of a variable or a function (also for readers built on this one).
bool is_name_character(char c);

/// Fails with kind bad_ir_text at a character of a text: names the line, shows where, says what was expected.
[[noreturn]] void fail_reading(std::string_view text, std::size_t at, std::string_view expected);

} // namespace unravel::term
