// Terms from text: a recursive descent over or, and, not, comparison, sum, product, factor.
#include "term/read.h"

#include "report/diagnostic.h"
#include "text/characters.h"
#include "text/source.h"

#include <charconv>
#include <fmt/format.h>

namespace unravel::term {

namespace {

bool is_formula(const Term &term) {
  return term.as<Compare>() || term.as<And>() || term.as<Or>() || term.as<Not>();
}

class TermReader : TextReader {
public:
  TermReader(std::string_view text, std::size_t at) : TextReader(text, at) {}

  Term disjunction() {
    std::vector<Term> parts{conjunction()};
    while (accept_word("or"))
      parts.push_back(conjunction());
    return parts.size() == 1 ? parts[0] : term::disjunction(std::move(parts));
  }

  std::size_t position() const { return at_; }

  void expect_end() {
    skip_spaces();
    if (at_ != text_.size()) fail("the end of the term");
  }

private:
  Term conjunction() {
    std::vector<Term> parts{negation()};
    while (accept_word("and"))
      parts.push_back(negation());
    return parts.size() == 1 ? parts[0] : term::conjunction(std::move(parts));
  }

  Term negation() { return accept_word("not") ? term::negation(formula(negation())) : comparison(); }

  Term comparison() {
    Term left = sum();
    std::vector<Term> chain;
    while (true) {
      Term result;
      if (accept("!="))
        result = relate(left, [](const Term &a, const Term &b) { return term::negation(equal(a, b)); });
      else if (accept("<="))
        result = relate(left, [](const Term &a, const Term &b) { return at_most(a, b); });
      else if (accept(">="))
        result = relate(left, [](const Term &a, const Term &b) { return at_most(b, a); });
      else if (accept("<"))
        result = relate(left, [](const Term &a, const Term &b) { return less(a, b); });
      else if (accept(">"))
        result = relate(left, [](const Term &a, const Term &b) { return less(b, a); });
      else if (accept("="))
        result = relate(left, [](const Term &a, const Term &b) { return equal(a, b); });
      else
        break;
      chain.push_back(result);
    }
    return chain.empty() ? left : term::conjunction(std::move(chain));
  }

  /// left R (next sum); the next sum becomes `left`, for chains such as 0 <= p < n.
  template <class Relate> Term relate(Term &left, Relate relation) {
    Term right = integer(sum());
    Term result = relation(integer(left), right);
    left = right;
    return result;
  }

  Term sum() {
    Term result = product();
    while (true) {
      if (accept("+"))
        result = integer(result) + integer(product());
      else if (accept("-"))
        result = integer(result) - integer(product());
      else
        return result;
    }
  }

  /// Constants are collected, so that 2*a*b is twice the product of a and b.
  Term product() {
    std::int64_t sign = accept("-") ? -1 : 1;
    Term result = factor();
    Term coefficient(1);
    if (result.as<Constant>()) std::swap(result, coefficient);
    bool alone = sign == 1;
    while (accept("*")) {
      alone = false;
      Term next = accept("-") ? -integer(factor()) : integer(factor());
      result = multiply(integer(result), next);
    }
    if (!alone || coefficient != Term(1))
      result = multiply(multiply(Term(sign), coefficient), integer(result));
    if (accept_word("mod")) result = modulo(integer(result), divisor());
    return result;
  }

  Term factor() {
    skip_spaces();
    if (accept("(")) {
      Term result = disjunction();
      expect(")");
      return result;
    }
    if (at_ < text_.size() && text::is_digit(text_[at_])) return Term(number());
    std::string_view name = peek_word();
    if (name.empty() || name == "and" || name == "or" || name == "mod") fail("a term");
    at_ += name.size();
    if (name == "true") return truth();
    if (name == "false") return falsity();
    if (!accept("(")) return variable(std::string(name));
    if (name == "floor" || name == "ceil") return quotient(name == "floor");
    std::vector<Term> arguments;
    if (!accept(")")) {
      do
        arguments.push_back(integer(disjunction()));
      while (accept(","));
      expect(")");
    }
    if ((name == "min" || name == "max") && !arguments.empty())
      return name == "min" ? minimum(std::move(arguments)) : maximum(std::move(arguments));
    return apply(std::string(name), std::move(arguments));
  }

  Term quotient(bool down) {
    Term numerator = integer(sum());
    expect("/");
    std::int64_t by = divisor();
    expect(")");
    return down ? floor_divide(numerator, by) : ceil_divide(numerator, by);
  }

  std::int64_t divisor() {
    skip_spaces();
    std::size_t start = at_;
    std::int64_t value = number();
    if (value <= 0) fail("a divisor above 0", start);
    return value;
  }

  const Term &integer(const Term &term) const {
    if (is_formula(term)) fail("an integer term before this, not a formula");
    return term;
  }

  const Term &formula(const Term &term) const {
    if (!is_formula(term)) fail("a formula before this, not an integer term");
    return term;
  }
};

} // namespace

bool is_name_character(char c) {
  return text::is_of_name(c) || c == '.' || c == '#';
}

void TextReader::fail(std::string_view expected, std::size_t at) const {
  text::Source source("text", std::string(text_));
  report::fail(report::Kind::bad_ir_text, source.place(at, at + 1), fmt::format("expected {}", expected),
               "the notation is the one that the printers of terms and loops write");
}

void TextReader::skip(std::string_view characters) {
  at_ = std::min(text_.find_first_not_of(characters, at_), text_.size());
}

std::string_view TextReader::peek_word() {
  skip_spaces();
  std::size_t end = at_;
  while (end < text_.size() && is_name_character(text_[end]))
    ++end;
  return text_.substr(at_, end - at_);
}

bool TextReader::accept_word(std::string_view word) {
  if (peek_word() != word) return false;
  at_ += word.size();
  return true;
}

bool TextReader::accept(std::string_view token) {
  skip_spaces();
  if (!text_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

void TextReader::expect(std::string_view token) {
  if (!accept(token)) fail(fmt::format("`{}`", token));
}

std::int64_t TextReader::number() {
  skip_spaces();
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error != std::errc()) fail("an integer of 64 bits");
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

Term read_term(std::string_view text, std::size_t &at) {
  TermReader reader(text, at);
  Term result = reader.disjunction();
  at = reader.position();
  return result;
}

Term read_term(std::string_view text) {
  TermReader reader(text, 0);
  Term result = reader.disjunction();
  reader.expect_end();
  return result;
}

} // namespace unravel::term
