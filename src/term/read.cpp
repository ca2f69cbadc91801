// Terms from text: a recursive descent over or, and, not, comparison, sum, product, factor.
#include "term/read.h"

#include "report/diagnostic.h"
#include "text/source.h"

#include <cctype>
#include <charconv>
#include <fmt/format.h>

namespace unravel::term {

namespace {

bool is_formula(const Term &term) {
  return term.as<Compare>() || term.as<And>() || term.as<Or>() || term.as<Not>();
}

class TermReader {
public:
  TermReader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  Term disjunction() {
    std::vector<Term> parts{conjunction()};
    while (accept_word("or"))
      parts.push_back(conjunction());
    return parts.size() == 1 ? parts[0] : term::disjunction(std::move(parts));
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t'))
      ++at_;
  }

  std::size_t position() const { return at_; }

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
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return Term(number());
    std::string_view name = peek_name();
    if (name.empty()) fail_reading(text_, at_, "a term");
    if (name == "and" || name == "or" || name == "mod") fail_reading(text_, at_, "a term");
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
    if (value <= 0) fail_reading(text_, start, "a divisor above 0");
    return value;
  }

  std::int64_t number() {
    std::int64_t value = 0;
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail_reading(text_, at_, "an integer of 64 bits");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  const Term &integer(const Term &term) const {
    if (is_formula(term)) fail_reading(text_, at_, "an integer term before this, not a formula");
    return term;
  }

  const Term &formula(const Term &term) const {
    if (!is_formula(term)) fail_reading(text_, at_, "a formula before this, not an integer term");
    return term;
  }

  std::string_view peek_name() {
    skip_spaces();
    std::size_t end = at_;
    while (end < text_.size() && is_name_character(text_[end]))
      ++end;
    return text_.substr(at_, end - at_);
  }

  bool accept_word(std::string_view word) {
    if (peek_name() != word) return false;
    at_ += word.size();
    return true;
  }

  bool accept(std::string_view token) {
    skip_spaces();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) fail_reading(text_, at_, fmt::format("`{}`", token));
  }

  std::string_view text_;
  std::size_t at_;
};

} // namespace

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '#';
}

void fail_reading(std::string_view text, std::size_t at, std::string_view expected) {
  text::Source source("text", std::string(text));
  report::fail(report::Kind::bad_ir_text, source.place(at, at + 1), fmt::format("expected {}", expected),
               "the notation is the one that the printers of terms and loops write");
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
  reader.skip_spaces();
  if (reader.position() != text.size()) fail_reading(text, reader.position(), "the end of the term");
  return result;
}

} // namespace unravel::term
