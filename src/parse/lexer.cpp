#include "parse/lexer.h"

#include "text/characters.h"

#include <charconv>
#include <string_view>

namespace unravel::parse {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/// Longest first: the first match wins.
constexpr std::string_view symbols[] = {
    "->", "=>", "<=", ">=", "!=", "==", "&&", "||", "+=", "-=", "*=", "/=", "(", ")", "[",
    "]",  "{",  "}",  "<",  ">",  "=",  "+",  "-",  "*",  "/",  "!",  ":",  ";", ","};

class Scanner {
public:
  Scanner(const std::shared_ptr<const text::Source> &source, Dialect dialect)
      : source_(source), text_(source->content()), dialect_(dialect) {}

  TokenList scan() {
    for (skip_blank(); position_ < text_.size() && !list_.failure; skip_blank())
      scan_token();
    add(Token::Kind::End, position_);
    return std::move(list_);
  }

private:
  bool digit_at(std::size_t k) const { return k < text_.size() && text::is_digit(text_[k]); }
  bool letter_at(std::size_t k) const { return k < text_.size() && text::is_letter(text_[k]); }

  void skip_blank() {
    while (position_ < text_.size()) {
      if (is_space(text_[position_])) {
        ++position_;
      } else if (text_[position_] == '#' && dialect_ != Dialect::Schedule) {
        while (position_ < text_.size() && text_[position_] != '\n')
          ++position_;
      } else {
        return;
      }
    }
  }

  /// Adds the token [position_, end) and steps behind it.
  Token &add(Token::Kind kind, std::size_t end) {
    Token token;
    token.kind = kind;
    token.begin = position_;
    token.end = end;
    token.text = text_.substr(position_, end - position_);
    position_ = end;
    list_.tokens.push_back(token);
    return list_.tokens.back();
  }

  void fail_at(std::size_t end, report::Kind kind, std::string message, std::string hint) {
    list_.failure =
        report::Diagnostic{kind, source_->place(position_, end), std::move(message), std::move(hint)};
  }

  void scan_token() {
    char c = text_[position_];
    if (text::is_digit(c)) return scan_number();
    if (text::is_letter(c)) return dialect_ == Dialect::Schedule ? scan_dotted_name() : scan_name();
    if (c == '.' && in_semiring()) {
      add(Token::Kind::Symbol, position_ + 1);
      return;
    }
    for (std::string_view symbol : symbols)
      if (text_.substr(position_, symbol.size()) == symbol) {
        add(Token::Kind::Symbol, position_ + symbol.size());
        return;
      }
    list_.failure = describe_stray(source_, position_, dialect_);
  }

  /// Behind `in min`, `in +`?
  bool in_semiring() const {
    const std::size_t count = list_.tokens.size();
    return (dialect_ == Dialect::Notation || dialect_ == Dialect::Program) && count >= 2 &&
           list_.tokens[count - 2].text == "in";
  }

  std::size_t end_of_name(std::size_t k) const {
    while (k < text_.size() && text::is_of_name(text_[k]))
      ++k;
    return k;
  }

  void scan_name() { add(Token::Kind::Name, end_of_name(position_)); }

  /// `i`, `A.p`, `A#2.p`: one name.
  void scan_dotted_name() {
    std::size_t end = end_of_name(position_);
    bool whole = true;
    if (end < text_.size() && text_[end] == '#') {
      std::size_t number = ++end;
      while (digit_at(end))
        ++end;
      whole = end > number && !letter_at(end);
    }
    while (whole && end < text_.size() && text_[end] == '.') {
      whole = letter_at(end + 1);
      end = end_of_name(end + 1);
    }
    if (whole && end < text_.size() && text_[end] == '#') whole = false;
    if (whole) {
      add(Token::Kind::Name, end);
      return;
    }
    while (end < text_.size() && (text::is_of_name(text_[end]) || text_[end] == '.' || text_[end] == '#'))
      ++end;
    fail_at(end, report::Kind::syntax_error,
            "`" + std::string(text_.substr(position_, end - position_)) + "` is not the name of a variable",
            "a coordinate is written `i`, a position `A.p`, of the second `A` in the expression `A#2.p`");
  }

  void scan_number() {
    std::size_t end = position_;
    while (digit_at(end))
      ++end;
    bool decimal = false;
    if (end < text_.size() && text_[end] == '.' && digit_at(end + 1)) {
      decimal = true;
      for (++end; digit_at(end);)
        ++end;
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      std::size_t digits = end + 1;
      if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) ++digits;
      if (digit_at(digits)) {
        decimal = true;
        for (end = digits; digit_at(end);)
          ++end;
      }
    }
    if (letter_at(end) && text_[end] == 'i' && dialect_ != Dialect::Layout && end_of_name(end) == end + 1)
      return add_decimal(Token::Kind::Imaginary, end, end + 1);
    if (letter_at(end)) return fail_glued(end);
    decimal ? add_decimal(Token::Kind::Decimal, end, end) : add_integer(end);
  }

  void fail_glued(std::size_t end_of_number) {
    std::size_t end = end_of_name(end_of_number);
    std::string number(text_.substr(position_, end_of_number - position_));
    std::string name(text_.substr(end_of_number, end - end_of_number));
    fail_at(end, report::Kind::syntax_error, "`" + number + name + "` is neither a number nor a name",
            "a product is written `" + number + " * " + name + "`, and names begin with a letter");
  }

  void add_integer(std::size_t end) {
    std::int64_t value = 0;
    std::string_view digits = text_.substr(position_, end - position_);
    auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc())
      return fail_at(end, report::Kind::number_too_large,
                     "`" + std::string(digits) + "` does not fit in a 64-bit integer",
                     "the largest one is 9223372036854775807");
    add(Token::Kind::Integer, end).integer = value;
  }

  void add_decimal(Token::Kind kind, std::size_t end_of_number, std::size_t end) {
    double value = 0;
    std::string_view digits = text_.substr(position_, end_of_number - position_);
    auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc())
      return fail_at(end, report::Kind::number_too_large,
                     "`" + std::string(digits) + "` does not fit in a 64-bit floating-point number", "");
    add(kind, end).decimal = value;
  }

  std::shared_ptr<const text::Source> source_;
  std::string_view text_;
  Dialect dialect_;
  std::size_t position_ = 0;
  TokenList list_;
};

} // namespace

TokenList scan_tokens(const std::shared_ptr<const text::Source> &source, Dialect dialect) {
  return Scanner(source, dialect).scan();
}

} // namespace unravel::parse
