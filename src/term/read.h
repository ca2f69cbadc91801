#pragma once

#include "term/term.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// The reader of the notation that term::to_text writes, for tests and for stages that are started from text.
/// to_text(read_term(text)) == text for every text that to_text made. Names are made of letters, digits and
/// `_`, `.`, `#`; `and or not true false mod floor ceil min max` are words of the notation.
namespace unravel::term {

/// Reads the whole text. Fails with kind bad_ir_text.
Term read_term(std::string_view text);

/// Reads the longest term that begins at `at` and moves `at` behind it.
Term read_term(std::string_view text, std::size_t &at);

/// Whether a character may stand in a name of a variable or a function.
bool is_name_character(char c);

/// What readers of the printers' notations are built on: a place in a text that moves on. Spaces before what
/// is asked for are passed over.
class TextReader {
protected:
  TextReader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  /// Fails with kind bad_ir_text: names the line, shows where, says what was expected.
  [[noreturn]] void fail(std::string_view expected, std::size_t at) const;
  [[noreturn]] void fail(std::string_view expected) const { fail(expected, at_); }

  /// Passes over these characters.
  void skip(std::string_view characters);
  void skip_spaces() { skip(" \t"); }
  /// The next name or word, which is not passed; empty where there is none.
  std::string_view peek_word();
  bool accept_word(std::string_view word);
  bool accept(std::string_view token);
  void expect(std::string_view token);
  std::int64_t number();

  std::string_view text_;
  std::size_t at_;
};

} // namespace unravel::term
