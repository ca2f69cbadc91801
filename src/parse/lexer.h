#pragma once

#include "parse/tree.h"
#include "report/diagnostic.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Characters to tokens, and a cursor over tokens that words the parsers' "expected ..., saw ..." messages.
namespace unravel::parse {

/// What the languages' texts have in common, and where they differ: only layouts and programs have comments
/// (#), only layouts reserved words; in schedules `A#2.p` is one name.
enum class Dialect { Layout, Notation, Program, Schedule };

struct Token {
  enum class Kind { Name, Integer, Decimal, Imaginary, Symbol, End };
  Kind kind = Kind::End;
  std::size_t begin = 0; // characters [begin, end) of the source
  std::size_t end = 0;
  std::string_view text; // of the source, which outlives the tokens
  std::int64_t integer = 0;
  double decimal = 0; // of an Imaginary, `2i`, the number before the i
};

/// Tokens of a text. `failure` is the first mistake of the lexer, standing after the last token: it is
/// reported when the parser gets there, so that the first mistake of a text is reported whoever finds it.
struct TokenList {
  std::vector<Token> tokens; // the last one is End
  std::optional<report::Diagnostic> failure;
};

/// Never throws for what stands in the text. O(size of the text).
TokenList scan_tokens(const std::shared_ptr<const text::Source> &source, Dialect dialect);

/// The message about a character that no token begins with; `end` is set behind the character, which may be
/// several bytes of UTF-8.
report::Diagnostic describe_stray(const std::shared_ptr<const text::Source> &source, std::size_t begin,
                                  Dialect dialect);

/// How the power is written that `^` or `**` at [begin, end) of the text stands for.
std::string hint_for_power(std::string_view text, std::size_t begin, std::size_t end);

/// A cursor over the tokens of one text. Knows the open brackets, so that an unclosed one is reported where
/// it opens.
class TokenStream {
public:
  TokenStream(std::shared_ptr<const text::Source> source, Dialect dialect);

  Dialect dialect() const { return dialect_; }

  /// The current token; throws where the lexer's mistake stands.
  const Token &peek() const;
  /// The token after the current one, for a second look; End where the text or the lexer stopped.
  const Token &peek_second() const;
  /// So many places further on; behind the end the end.
  const Token &peek_ahead(std::size_t places) const;
  Token next();

  bool at_end() const { return peek().kind == Token::Kind::End; }
  /// Whether the current token reads `text`, a word or a symbol.
  bool at(std::string_view text) const;
  bool at_any(std::initializer_list<std::string_view> texts) const;
  /// Steps over `text` where it stands.
  bool accept(std::string_view text);
  bool at_name() const;

  /// Steps over `text`, or fails with "expected `text` <after>, saw ...".
  Token expect(std::string_view text, const std::string &after = {}, const std::string &hint = {});
  /// Steps over a name that is not a reserved word; `what` completes "expected ...".
  Name expect_name(const std::string &what, const std::string &hint = {});
  /// Steps over an integer of at least `least`.
  std::int64_t expect_integer(const std::string &what, std::int64_t least);

  /// Steps over an opening bracket, remembering it until `close`.
  Token open(std::string_view bracket, const std::string &after = {}, const std::string &hint = {});
  /// Steps over the bracket that closes the innermost open one, or fails.
  Token close(std::string_view bracket, const std::string &hint = {});
  /// Forgets the innermost open bracket without a closing one (half-open ranges close in two ways).
  void forget_open() { open_.pop_back(); }
  /// Steps over a `;`. Where it is missing at the end of a line or before one of `starts`, the message points
  /// at the end of the token before.
  void expect_semicolon(const std::vector<std::string> &starts, const std::string &hint = {});

  /// "expected <what>, saw <the current token>" at the current token; at the end of the text an unclosed
  /// bracket is reported instead.
  [[noreturn]] void fail_expected(const std::string &what, const std::string &hint = {}) const;
  /// The current token for a message: "`col`", "the reserved word `and`", "the end of the text".
  std::string describe_current() const;

  text::Span span(const Token &token) const { return text::Span{source_, token.begin, token.end}; }
  text::Span span_here() const { return span(peek()); }
  /// From the first character of `first` to the end of the token stepped over last.
  text::Span span_from(std::size_t begin) const;
  /// The empty stretch behind the token stepped over last.
  text::Span span_after_previous() const;

private:
  std::shared_ptr<const text::Source> source_;
  Dialect dialect_;
  TokenList list_;
  std::size_t position_ = 0;
  std::vector<Token> open_;
};

/// Whether a layout file reserves `word` (and, or, not, mod, floor, ...).
bool is_reserved(std::string_view word);

} // namespace unravel::parse
