#pragma once

#include "loop/own_operators.h"
#include "term/read.h"

#include <charconv>
#include <fmt/format.h>
#include <limits>
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
  std::optional<Operator> operator_called(std::string_view read) const {
    for (const Operator &own : own_)
      if (own.own()->name == read) return own;
    for (const value::Laws &laws : value::all_operators)
      if (value::made_by_conversion(laws.op) && laws.name == read) return laws.op;
    if (read == "complex") return Operator::Complex;
    return read == "stored" ? Operator::Stored : value::operator_called(read);
  }

  /// `f(a, b) = a + b : associative`
  Operator own_operator() {
    value::OwnOperator made;
    made.name = name();
    expect("(");
    listed([&] { made.arguments.push_back(name()); });
    expect(")");
    expect("=");
    made.definition = definition_of(value(), made.arguments);
    if (accept(":")) listed([&] { law(made); });
    return value::own_operator(std::move(made));
  }

  /// One operator at a time: what is printed has brackets around every other one.
  Value value() {
    Value first = factor();
    for (const value::Laws &laws : value::all_operators) {
      if (laws.symbol.empty() || !accept(laws.symbol)) continue;
      std::vector<Value> arguments{std::move(first)};
      do
        arguments.push_back(factor());
      while (laws.is_associative && accept(laws.symbol));
      return apply(laws.op, std::move(arguments));
    }
    return first;
  }

  Value factor() {
    if (accept("-(")) {
      Value inner = value();
      expect(")");
      return apply(Operator::Negate, std::vector{std::move(inner)});
    }
    if (accept("(")) {
      Value inner = value();
      expect(")");
      return inner;
    }
    if (accept("[")) {
      Value integer{term()};
      expect("]");
      return integer;
    }
    skip_spaces();
    double number = 0;
    auto [stop, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    bool digit =
        at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-');
    if (digit && error == std::errc()) {
      at_ = static_cast<std::size_t>(stop - text_.data());
      return {Number{number}};
    }
    std::string read = name();
    if (read == "inf") return {Number{std::numeric_limits<double>::infinity()}};
    if (read == "nan") return {Number{std::numeric_limits<double>::quiet_NaN()}};
    const std::optional<Operator> called = operator_called(read);
    if (called && accept("(")) {
      std::vector<Value> arguments;
      listed([&] { arguments.push_back(value()); });
      expect(")");
      return apply(*called, std::move(arguments));
    }
    if (!accept("[")) return {Local{read}};
    Element element{read, term()};
    expect("]");
    return {std::move(element)};
  }

  double number() {
    const Value read = factor();
    if (const double *value = value::number_of(read)) return *value;
    fail("a number");
  }

  term::Term term() { return term::read_term(text_, at_); }

  std::string name() {
    std::string_view word = peek_word();
    if (word.empty()) fail("a name");
    at_ += word.size();
    return std::string(word);
  }

  std::string name(std::string_view before) {
    std::string result = name();
    expect(before);
    return result;
  }

  void expect_word(std::string_view word) {
    skip_lines();
    if (!accept_word(word)) fail(fmt::format("`{}`", word));
  }

  void expect(std::string_view token) {
    skip_lines();
    TextReader::expect(token);
  }

  std::string rest_of_line() {
    skip_spaces();
    std::size_t stop = std::min(text_.find('\n', at_), text_.size());
    std::string result(text_.substr(at_, stop - at_));
    at_ = stop;
    return result;
  }

  /// One or more, with commas between them.
  template <class Read> void listed(Read read) {
    do
      read();
    while (accept(","));
  }

  void skip_lines() { skip(" \t\n"); }

  std::vector<Operator> own_; // that were read

private:
  void law(value::OwnOperator &made) {
    if (accept_word("associative")) {
      made.laws.is_associative = true;
    } else if (accept_word("commutative")) {
      made.laws.is_commutative = true;
    } else if (accept_word("idempotent")) {
      made.laws.is_idempotent = true;
    } else if (accept_word("identity")) {
      made.laws.identity = number();
    } else if (accept_word("absorbs")) {
      made.absorbing = number();
    } else if (accept_word("distributes")) {
      expect_word("over");
      for (const value::Laws &laws : value::all_operators)
        if (!laws.symbol.empty() && accept(laws.symbol)) return made.distributes_over.push_back(laws.op);
      const std::optional<Operator> over = operator_called(name());
      if (!over) fail("an operator");
      made.distributes_over.push_back(*over);
    } else if (accept_word("on")) {
      expect("[");
      made.least = number();
      expect(",");
      made.greatest = number();
      expect("]");
    } else {
      fail("a law");
    }
  }
};

} // namespace unravel::loop
