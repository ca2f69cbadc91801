#include "parse/lexer.h"
#include "report/suggest.h"

#include <algorithm>

namespace unravel::parse {

namespace {

constexpr std::string_view reserved[] = {"and",  "or",   "not",   "mod",    "floor",
                                         "ceil", "true", "false", "forall", "exists"};

std::string quote(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string_view closing_of(std::string_view bracket) {
  return bracket == "(" ? ")" : bracket == "[" ? "]" : bracket == "{" ? "}" : ">";
}

} // namespace

bool is_reserved(std::string_view word) {
  return std::find(std::begin(reserved), std::end(reserved), word) != std::end(reserved);
}

TokenStream::TokenStream(std::shared_ptr<const text::Source> source, Dialect dialect)
    : source_(std::move(source)), dialect_(dialect), list_(scan_tokens(source_, dialect)) {}

const Token &TokenStream::peek() const {
  const Token &token = list_.tokens[position_];
  if (token.kind == Token::Kind::End && list_.failure) throw report::Error(*list_.failure);
  return token;
}

const Token &TokenStream::peek_ahead(std::size_t places) const {
  return list_.tokens[std::min(position_ + places, list_.tokens.size() - 1)];
}

const Token &TokenStream::peek_second() const {
  return peek_ahead(1);
}

Token TokenStream::next() {
  Token token = peek();
  if (token.kind != Token::Kind::End) ++position_;
  return token;
}

bool TokenStream::at(std::string_view text) const {
  const Token &token = peek();
  return token.kind != Token::Kind::End && token.text == text;
}

bool TokenStream::at_any(std::initializer_list<std::string_view> texts) const {
  return std::ranges::any_of(texts, [&](std::string_view text) { return at(text); });
}

bool TokenStream::accept(std::string_view text) {
  bool found = at(text);
  if (found) ++position_;
  return found;
}

bool TokenStream::at_name() const {
  return peek().kind == Token::Kind::Name && !(dialect_ == Dialect::Layout && is_reserved(peek().text));
}

Token TokenStream::expect(std::string_view text, const std::string &after, const std::string &hint) {
  if (at(text)) return next();
  std::string better = hint;
  if (text == "=" && at("==")) better = "write `=`";
  bool word = !text.empty() && text[0] >= 'a' && text[0] <= 'z';
  if (better.empty() && word && peek().kind == Token::Kind::Name)
    better = report::suggest(peek().text, {std::string(text)});
  fail_expected(quote(text) + (after.empty() ? "" : " " + after), better);
}

Name TokenStream::expect_name(const std::string &what, const std::string &hint) {
  if (!at_name()) fail_expected(what, hint);
  Token token = next();
  return Name{std::string(token.text), span(token)};
}

std::int64_t TokenStream::expect_integer(const std::string &what, std::int64_t least) {
  if (peek().kind != Token::Kind::Integer || peek().integer < least) fail_expected(what);
  return next().integer;
}

Token TokenStream::open(std::string_view bracket, const std::string &after, const std::string &hint) {
  Token token = expect(bracket, after, hint);
  open_.push_back(token);
  return token;
}

Token TokenStream::close(std::string_view bracket, const std::string &hint) {
  if (!at(bracket)) {
    std::string better = hint;
    if (peek().kind == Token::Kind::Name && dialect_ == Dialect::Layout) {
      std::string near = report::suggest(peek().text, {"and", "or", "mod"});
      if (!near.empty()) better = near;
    }
    fail_expected(quote(bracket), better);
  }
  open_.pop_back();
  return next();
}

void TokenStream::expect_semicolon(const std::vector<std::string> &starts, const std::string &hint) {
  if (accept(";")) return;
  const Token &token = peek();
  std::size_t previous_end = span_after_previous().begin;
  bool new_line = source_->content().substr(previous_end, token.begin - previous_end).find('\n') !=
                  std::string_view::npos;
  bool new_statement = std::ranges::find(starts, token.text) != starts.end();
  bool continues = token.kind == Token::Kind::Symbol || !(new_line || new_statement);
  if (at_end() || (continues && !at("}"))) fail_expected("`;`", hint);
  report::fail(report::Kind::syntax_error, span_after_previous(), "missing `;` before " + describe_current());
}

void TokenStream::fail_expected(const std::string &what, const std::string &hint) const {
  if (at_end() && !open_.empty()) {
    std::string_view bracket = open_.back().text;
    report::fail(report::Kind::syntax_error, span(open_.back()), quote(bracket) + " is never closed",
                 "the text ends where " + what + " was expected; close with " + quote(closing_of(bracket)));
  }
  text::Span where = at_end() ? span_after_previous() : span_here();
  report::fail(report::Kind::syntax_error, where, "expected " + what + ", saw " + describe_current(), hint);
}

std::string TokenStream::describe_current() const {
  const Token &token = peek();
  if (token.kind == Token::Kind::End) return "the end of the text";
  // Names have no bound on their length; a message has.
  std::string shown = quote(token.text.size() <= 60 ? token.text : token.text.substr(0, 57));
  if (token.text.size() > 60) shown.insert(shown.size() - 1, "...");
  if (token.kind == Token::Kind::Name && dialect_ == Dialect::Layout && is_reserved(token.text))
    return "the reserved word " + shown;
  return shown;
}

text::Span TokenStream::span_from(std::size_t begin) const {
  return text::Span{source_, begin, std::max(begin, span_after_previous().end)};
}

text::Span TokenStream::span_after_previous() const {
  std::size_t end = position_ == 0 ? 0 : list_.tokens[position_ - 1].end;
  return text::Span{source_, end, end};
}

} // namespace unravel::parse
