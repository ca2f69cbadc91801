#pragma once

#include "loop/loop.h"
#include "term/read.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace unravel::loop {

/// Reads values of the loop IR, as print.cpp writes them, and operators of the user's own; for parse.cpp.
class ValueReader : protected term::TextReader {
protected:
  explicit ValueReader(std::string_view text) : TextReader(text, 0) {}

  /// By its name in a call, or before `=`.
  std::optional<Operator> operator_called(std::string_view read) const;
  /// `f(a, b) = a + b : associative`
  Operator own_operator();

  /// One operator at a time: what is printed has brackets around every other one.
  Value value();
  Value factor();
  double number();
  term::Term term() { return term::read_term(text_, at_); }

  std::string name();
  std::string name(std::string_view before);
  void expect_word(std::string_view word);
  void expect(std::string_view token);
  std::string rest_of_line();
  void skip_lines() { skip(" \t\n"); }

  std::vector<Operator> own_; // that were read

private:
  void law(value::OwnOperator &made);
};

} // namespace unravel::loop
