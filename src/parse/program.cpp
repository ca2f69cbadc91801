#include "parse/assignment.h"
#include "parse/expression.h"
#include "parse/operators.h"
#include "parse/parse.h"
#include "parse/values.h"
#include "report/diagnostic.h"

#include <algorithm>

// The grammar:
//   program   = { declaration ";" | operator } statement { statement }
//   declaration = "tensor" tensor { "," tensor } | "size" size { "," size }
//   tensor    = name [ "(" term { "," term } ")" ] [ type ] [ "fill" number ]
//   size      = name [ ">=" [ "-" ] integer ]
//   statement = "for" name [ "in" "[" term "," term ")" ] body | "if" formula body
//             | "repeat" ( term [ "until" formula ] | "until" formula ) body
//             | "let" name [ "(" mode { "," mode } ")" ] "=" term ";" | assignment ";"
//   mode      = name [ "in" "[" "0" "," term ")" ]
//   body      = "{" { statement } "}"
// Assignments are those of index notation, and also `-=` and `/=`. # begins a comment.

namespace unravel::parse {

namespace {

constexpr int loop_limit = 64; // nested bodies; later rooms walk them recursively
constexpr std::string_view repeat = "repeat";

/// Is there an assignment's operator, so many places further on?
bool is_assigned(const TokenStream &tokens, std::size_t places) {
  const Token &token = tokens.peek_ahead(places);
  constexpr std::string_view assignments[] = {"=", "+=", "-=", "*=", "/="};
  return std::ranges::find(assignments, token.text) != std::end(assignments) ||
         (token.kind == Token::Kind::Name && tokens.peek_ahead(places + 1).text == "=");
}

/// A word is a keyword only where a name follows, which is no reduction: tensors may be called `let`, and
/// `size max= x(i);` is a statement. `for i = 0` is a loop with a mistake.
bool is_keyword(const TokenStream &tokens, std::size_t places, std::string_view word) {
  return tokens.peek_ahead(places).text == word && tokens.peek_ahead(places + 1).kind == Token::Kind::Name &&
         (word == "let" || word == "for" || !is_assigned(tokens, places + 1));
}

/// The same of `repeat`, behind which a term may stand, too: a number, or one with a sign or in brackets.
bool is_repeat(const TokenStream &tokens, std::size_t places) {
  if (is_keyword(tokens, places, repeat)) return true;
  const Token &second = tokens.peek_ahead(places + 1);
  if (tokens.peek_ahead(places).text != repeat) return false;
  if (second.text != "(")
    return second.kind == Token::Kind::Integer || second.text == "{" || second.text == "-";
  std::size_t behind = places + 2;
  for (int open = 1; open > 0 && tokens.peek_ahead(behind).kind != Token::Kind::End; ++behind)
    open += tokens.peek_ahead(behind).text == "(" ? 1 : tokens.peek_ahead(behind).text == ")" ? -1 : 0;
  return !is_assigned(tokens, behind);
}

class ProgramParser {
public:
  explicit ProgramParser(const std::shared_ptr<const text::Source> &source)
      : source_(source), tokens_(source, Dialect::Program) {}

  ProgramTree parse() {
    ProgramTree result;
    const std::size_t begin = tokens_.peek().begin; // behind comments
    const auto operators = [&] {
      for (OperatorTree &made : parse_operators(tokens_))
        result.operators.push_back(std::move(made));
    };
    operators();
    while (at_word("tensor") || at_word("size")) {
      bool is_tensor = tokens_.at("tensor");
      tokens_.next();
      do
        if (is_tensor)
          result.tensors.push_back(tensor());
        else
          result.sizes.push_back(size());
      while (tokens_.accept(","));
      tokens_.expect_semicolon(starts);
      operators();
    }
    while (!tokens_.at_end())
      result.body.push_back(statement());
    if (result.body.empty()) tokens_.fail_expected("a statement", "write `for i { y(i) = x(i); }`");
    result.span = tokens_.span_from(begin);
    return result;
  }

private:
  inline static const std::vector<std::string> starts{"for", "if", "let", "repeat", "size", "tensor"};

  bool at_word(std::string_view word) { return is_keyword(tokens_, 0, word); }

  TensorTree tensor() {
    TensorTree result;
    result.name = tokens_.expect_name("the name of a tensor");
    if (tokens_.at("(")) {
      tokens_.open("(");
      result.extents = parse_terms_until(tokens_, ")");
    }
    result.values = parse_values(tokens_);
    return result;
  }

  SizeTree size() {
    SizeTree result;
    result.name = tokens_.expect_name("the name of a size");
    if (!tokens_.accept(">=")) return result;
    bool is_negative = tokens_.accept("-");
    std::int64_t least = tokens_.expect_integer("an integer, the least value of the size", 0);
    result.least = is_negative ? -least : least;
    return result;
  }

  StatementTree statement() {
    StatementTree result;
    std::size_t begin = tokens_.peek().begin;
    if (at_word("for")) {
      loop(result);
      result.span = tokens_.span_from(begin);
      body(result);
    } else if (tokens_.at("if") && !tokens_.peek_second().text.starts_with("=")) {
      tokens_.next();
      result.kind = StatementTree::Kind::If;
      result.condition = parse_formula(tokens_);
      result.span = tokens_.span_from(begin);
      body(result);
    } else if (is_repeat(tokens_, 0)) {
      rounds(result);
      result.span = tokens_.span_from(begin);
      body(result);
    } else {
      fail_if_of_others();
      if (at_word("let"))
        local(result);
      else
        result.assignment = parse_assignment(tokens_);
      result.span = tokens_.span_from(begin);
      tokens_.expect_semicolon(starts);
    }
    return result;
  }

  /// Statements that other languages have.
  void fail_if_of_others() {
    const std::string_view next = tokens_.peek_second().text;
    const Token &fourth = tokens_.peek_ahead(3); // of `for (i) {`, `for (int i = 0; ...`
    if (tokens_.at("for") && next == "(" &&
        (fourth.text == ")" ? !is_assigned(tokens_, 4)
                            : fourth.text == "=" || fourth.kind == Token::Kind::Name))
      tokens_.fail_expected("a statement", "loops are written `for i { y(i) = 0; }`, or with bounds "
                                           "`for i in [0, n) { y(i) = 0; }`");
    if (tokens_.at("else") && (next == "{" || next == "if"))
      tokens_.fail_expected("a statement", "write another `if` with the opposite condition");
    if (at_word("while"))
      tokens_.fail_expected("a statement", "rounds are written `repeat until r < 0.001 { ... }`");
  }

  void local(StatementTree &result) {
    tokens_.next();
    result.kind = StatementTree::Kind::Local;
    Expression &target = result.assignment.target;
    target.name = tokens_.expect_name("the name of a local");
    target.kind = Expression::Kind::Name;
    target.span = target.name.span;
    if (tokens_.at("(")) {
      tokens_.open("(");
      target.kind = Expression::Kind::Call;
      do
        result.extents.push_back(mode(target));
      while (tokens_.accept(","));
      tokens_.close(")");
      target.span = tokens_.span_from(target.name.span.begin);
    }
    tokens_.expect("=", "after what `let` declares", "write `let " + target.span.text() + " = 0`");
    result.assignment.value = parse_value(tokens_);
    result.assignment.span = text::join(target.span, result.assignment.value.span);
  }

  /// The subscript of a local's mode goes to the target. Returns the mode's extent, where it is said.
  std::optional<Expression> mode(Expression &target) {
    Expression subscript;
    subscript.kind = Expression::Kind::Name;
    subscript.name = tokens_.expect_name("a new name for the index of the mode");
    subscript.span = subscript.name.span;
    target.children.push_back(std::move(subscript));
    if (!tokens_.accept("in")) return std::nullopt;
    const std::string form = "write `let w(j in [0, n)) = 0`";
    tokens_.open("[", "after `in`", form);
    const std::size_t begin = tokens_.peek().begin;
    if (tokens_.expect_integer("0, the first index of a mode", 0) != 0)
      report::fail(report::Kind::syntax_error, tokens_.span_from(begin), "the indices of a mode begin at 0",
                   form);
    tokens_.expect(",", "between the bounds of a mode");
    Expression extent = parse_term(tokens_);
    tokens_.expect(")", "after the bounds of a mode");
    tokens_.forget_open();
    return extent;
  }

  void loop(StatementTree &result) {
    tokens_.next();
    result.kind = StatementTree::Kind::For;
    result.variable = tokens_.expect_name("the variable of the loop");
    if (tokens_.at(","))
      tokens_.fail_expected("`in` or `{`", "each loop has a body: `for i { for j { ... } }`");
    if (!tokens_.accept("in")) return;
    tokens_.open("[", "after `in`", "write `for i in [0, n)`");
    result.low = parse_term(tokens_);
    tokens_.expect(",", "between the bounds of a loop");
    result.high = parse_term(tokens_);
    if (tokens_.at("]"))
      report::fail(report::Kind::syntax_error, tokens_.span_here(), "expected `)`, saw `]`",
                   "the upper bound of a loop is not included: write `[a, b + 1)`");
    tokens_.expect(")", "after the bounds of a loop");
    tokens_.forget_open();
  }

  void rounds(StatementTree &result) {
    tokens_.next();
    result.kind = StatementTree::Kind::Repeat;
    if (tokens_.at("{"))
      tokens_.fail_expected("the number of rounds, or `until`",
                            "write `repeat 10 { ... }` or `repeat until r < 0.001 { ... }`");
    if (!tokens_.at("until")) result.high = parse_term(tokens_);
    if (tokens_.accept("until")) result.until = parse_formula(tokens_);
  }

  void body(StatementTree &result) {
    if (++depth_ > loop_limit)
      report::fail(report::Kind::expression_too_large, result.span,
                   "bodies nest deeper than " + std::to_string(loop_limit) + " levels");
    tokens_.open("{");
    while (!tokens_.at("}") && !tokens_.at_end())
      result.body.push_back(statement());
    tokens_.close("}");
    --depth_;
  }

  std::shared_ptr<const text::Source> source_;
  TokenStream tokens_;
  int depth_ = 0;
};

} // namespace

bool is_program(const std::string &text) {
  const TokenStream tokens(std::make_shared<const text::Source>("expression", text), Dialect::Program);
  const auto is_end = [&](std::size_t at) { return tokens.peek_ahead(at).kind == Token::Kind::End; };
  const auto is = [&](std::size_t at, std::string_view symbol) {
    return tokens.peek_ahead(at).text == symbol;
  };
  std::size_t begin = 0; // behind operators of the user's own
  while (is_keyword(tokens, begin, "operator")) {
    while (!is_end(begin) && !is(begin, ";"))
      ++begin;
    begin += !is_end(begin);
  }
  for (std::size_t at = begin; !is_end(at); ++at)
    if (is(at, "{") || is(at, ";")) return true;
  constexpr std::string_view words[] = {"for", "let", "tensor", "size"};
  return is_repeat(tokens, begin) ||
         std::ranges::any_of(words, [&](auto word) { return is_keyword(tokens, begin, word); });
}

ProgramTree parse_program(const std::shared_ptr<const text::Source> &source) {
  return ProgramParser(source).parse();
}

} // namespace unravel::parse
