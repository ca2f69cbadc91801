#include "parse/expression.h"

#include <utility>

namespace unravel::parse {

namespace {

using Kind = Expression::Kind;
using Comparison = Expression::Comparison;

bool is_formula(const Expression &e) {
  switch (e.kind) {
  case Kind::Compare:
  case Kind::And:
  case Kind::Or:
  case Kind::Not:
  case Kind::Implies:
  case Kind::Truth:
  case Kind::Falsity: return true;
  case Kind::Integer:
  case Kind::Decimal:
  case Kind::Imaginary:
  case Kind::Name:
  case Kind::Call:
  case Kind::Negate:
  case Kind::Add:
  case Kind::Subtract:
  case Kind::Multiply:
  case Kind::Divide:
  case Kind::Modulo: return false;
  }
  return false;
}

std::string quote_shortened(const text::Span &span) {
  std::string shown = span.text();
  for (char &c : shown)
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  return "`" + (shown.size() <= 60 ? shown : shown.substr(0, 57) + "...") + "`";
}

class ExpressionParser {
public:
  enum class Sort { Plain, Value, Mask };

  explicit ExpressionParser(TokenStream &tokens, Sort sort = Sort::Plain)
      : tokens_(tokens), layout_(tokens.dialect() == Dialect::Layout),
        has_formulas_(sort == Sort::Mask || (tokens.dialect() != Dialect::Notation && sort == Sort::Plain)),
        is_value_(sort == Sort::Value), is_mask_(sort == Sort::Mask) {}

  Expression term() { return is_value_ ? comparison() : require_term(sum()); }
  Expression value() { return comparison(false); }
  Expression formula() { return require_formula(is_mask_ ? disjunction() : implication()); }

  std::vector<Expression> terms_until(std::string_view closing) {
    std::vector<Expression> terms;
    if (!tokens_.at(closing)) {
      do
        terms.push_back(term());
      while (tokens_.accept(","));
    }
    tokens_.close(closing);
    return terms;
  }

private:
  static Expression over(Kind kind, std::vector<Expression> children) {
    Expression result;
    result.kind = kind;
    result.span = text::join(children.front().span, children.back().span);
    result.children = std::move(children);
    return result;
  }

  static Expression binary(Kind kind, Expression left, Expression right) {
    std::vector<Expression> children;
    children.reserve(2);
    children.push_back(std::move(left));
    children.push_back(std::move(right));
    return over(kind, std::move(children));
  }

  /// `begin` is where the operator stands.
  Expression unary(Kind kind, std::size_t begin, Expression operand) const {
    std::vector<Expression> children;
    children.push_back(std::move(operand));
    Expression result = over(kind, std::move(children));
    result.span = tokens_.span_from(begin);
    return result;
  }

  /// Counts what nests while it is parsed.
  class Level {
  public:
    explicit Level(ExpressionParser &parser) : parser_(parser) {
      if (++parser_.depth_ > nesting_limit)
        report::fail(report::Kind::expression_too_large, parser_.tokens_.span_here(),
                     "this expression nests deeper than " + std::to_string(nesting_limit) + " levels",
                     "split it, or drop brackets that are not needed");
    }
    ~Level() { --parser_.depth_; }

  private:
    ExpressionParser &parser_;
  };

  void count_operator() {
    if (++operators_ > operator_limit)
      report::fail(report::Kind::expression_too_large, tokens_.span_here(),
                   "this expression has more than " + std::to_string(operator_limit) + " operators",
                   "split it");
  }

  // Both check at once, before what follows is read: the first mistake of a text is the one reported.
  Expression require_term(Expression e) const {
    check_term(e);
    return e;
  }

  Expression require_formula(Expression e) const {
    check_formula(e);
    return e;
  }

  void check_term(const Expression &e) const {
    if (!is_value_ && is_formula(e))
      report::fail(report::Kind::wrong_sort, e.span,
                   "expected a number, saw the condition " + quote_shortened(e.span));
  }

  void check_formula(const Expression &e) const {
    const bool is_access = e.kind == Kind::Call || e.kind == Kind::Name;
    if (!is_formula(e) && !(is_mask_ && is_access))
      report::fail(report::Kind::wrong_sort, e.span,
                   "expected a condition, saw the number " + quote_shortened(e.span),
                   is_mask_ ? "a mask says where something is stored, or compares indices: `M(i,j) and i < j`"
                            : "conditions compare numbers, as in `0 <= i < M`");
  }

  Expression implication() {
    Expression guard = disjunction();
    if (!tokens_.accept("=>")) return guard;
    Level level(*this);
    check_formula(guard);
    return binary(Kind::Implies, std::move(guard), require_formula(implication()));
  }

  /// `a op b op c` as one node of kind `kind`.
  template <typename Operand>
  Expression chain(Kind kind, std::string_view word, std::string_view symbol, Operand operand) {
    Expression first = operand();
    if (!tokens_.at_any({word, symbol})) return first;
    std::vector<Expression> children;
    children.push_back(require_formula(std::move(first)));
    while (tokens_.accept(word) || tokens_.accept(symbol))
      children.push_back(require_formula(operand()));
    return over(kind, std::move(children));
  }

  Expression disjunction() {
    return chain(Kind::Or, "or", "||", [this] { return conjunction(); });
  }

  Expression conjunction() {
    return chain(Kind::And, "and", "&&", [this] { return negation(); });
  }

  Expression negation() {
    if (!tokens_.at_any({"not", "!"})) return comparison();
    Level level(*this);
    std::size_t begin = tokens_.next().begin;
    return unary(Kind::Not, begin, require_formula(negation()));
  }

  std::optional<Comparison> accept_comparison() {
    if (tokens_.at("=="))
      report::fail(report::Kind::syntax_error, tokens_.span_here(), "saw `==`, but equality is written `=`",
                   "write `=`");
    if (tokens_.at("=") && tokens_.peek_second().kind == Token::Kind::Symbol &&
        (tokens_.peek_second().text == "<" || tokens_.peek_second().text == ">")) {
      std::size_t begin = tokens_.next().begin;
      std::string other(tokens_.next().text);
      report::fail(report::Kind::syntax_error, tokens_.span_from(begin),
                   "saw `=" + other + "`, expected a comparison", "write `" + other + "=`");
    }
    if (tokens_.accept("=")) return Comparison::Equal;
    if (tokens_.accept("!=")) return Comparison::NotEqual;
    if (tokens_.accept("<=")) return Comparison::AtMost;
    if (tokens_.accept("<")) return Comparison::Less;
    if (tokens_.accept(">=")) return Comparison::AtLeast;
    if (tokens_.accept(">")) return Comparison::Greater;
    return std::nullopt;
  }

  /// `with_equality`: else `=` ends it.
  Expression comparison(bool with_equality = true) {
    Expression first = sum();
    if (!with_equality && tokens_.at_any({"=", "=="})) return first;
    std::optional<Comparison> comparison = accept_comparison();
    if (!comparison) return first;
    std::vector<Expression> children;
    std::vector<Comparison> comparisons;
    children.push_back(require_term(std::move(first)));
    while (comparison) {
      comparisons.push_back(*comparison);
      children.push_back(require_term(sum()));
      comparison = accept_comparison();
    }
    Expression result = over(Kind::Compare, std::move(children));
    result.comparisons = std::move(comparisons);
    return result;
  }

  Expression sum() {
    Expression result = product();
    while (tokens_.at_any({"+", "-"})) {
      count_operator();
      Kind kind = tokens_.next().text == "+" ? Kind::Add : Kind::Subtract;
      check_term(result);
      result = binary(kind, std::move(result), require_term(product()));
    }
    return result;
  }

  Expression product() {
    Expression result = signed_factor();
    while (tokens_.at_any({"*", "/"}) || (layout_ && tokens_.at("mod"))) {
      if (layout_ && tokens_.at("/") && !division_allowed_) fail_division();
      count_operator();
      std::string_view op = tokens_.next().text;
      Kind kind = op == "*" ? Kind::Multiply : op == "/" ? Kind::Divide : Kind::Modulo;
      check_term(result);
      result = binary(kind, std::move(result), require_term(signed_factor()));
    }
    return result;
  }

  [[noreturn]] void fail_division() {
    report::fail(report::Kind::syntax_error, tokens_.span_here(),
                 "`/` is allowed only directly inside `floor(a / b)` and `ceil(a / b)`",
                 "say how the quotient is rounded");
  }

  Expression signed_factor() {
    if (!tokens_.at("-")) return primary();
    Level level(*this);
    std::size_t begin = tokens_.next().begin;
    return unary(Kind::Negate, begin, require_term(signed_factor()));
  }

  Expression leaf(Kind kind) {
    Expression result;
    result.kind = kind;
    const Token token = tokens_.next();
    result.span = tokens_.span(token);
    result.integer = token.integer;
    result.decimal = token.decimal;
    return result;
  }

  Expression primary() {
    const Token &token = tokens_.peek();
    if (token.kind == Token::Kind::Integer) return leaf(Kind::Integer);
    if (token.kind == Token::Kind::Decimal && !layout_) return leaf(Kind::Decimal);
    if (token.kind == Token::Kind::Imaginary && is_value_) return leaf(Kind::Imaginary);
    if (tokens_.at("(")) return parenthesized();
    if (layout_ && tokens_.at("true")) return leaf(Kind::Truth);
    if (layout_ && tokens_.at("false")) return leaf(Kind::Falsity);
    if (layout_ && tokens_.at_any({"floor", "ceil"})) return rounded_quotient();
    if (!tokens_.at_name()) fail_primary();
    Expression result;
    result.name = tokens_.expect_name("a name");
    result.kind = Kind::Name;
    result.span = result.name.span;
    if (!tokens_.at("(")) return result;
    Level level(*this);
    bool outside = std::exchange(division_allowed_, false);
    tokens_.open("(");
    result.kind = Kind::Call;
    result.children = terms_until(")");
    division_allowed_ = outside;
    result.span = tokens_.span_from(result.name.span.begin);
    return result;
  }

  /// Where `*` stands: of `**`?
  std::string power_hint() const {
    const text::Span second = tokens_.span_here();
    const std::string_view text = second.source->content();
    return text[second.begin - 1] == '*' ? hint_for_power(text, second.begin - 1, second.end) : "";
  }

  [[noreturn]] void fail_primary() {
    if (tokens_.peek().kind == Token::Kind::Decimal)
      report::fail(report::Kind::syntax_error, tokens_.span_here(),
                   "expected an integer, saw the decimal number " + tokens_.describe_current());
    if (tokens_.peek().kind == Token::Kind::Imaginary) {
      const std::string text(tokens_.peek().text), number = text.substr(0, text.size() - 1);
      report::fail(report::Kind::syntax_error, tokens_.span_here(),
                   "`" + text + "` is an imaginary number, but this is about integers",
                   "a product is written `" + number + " * i`");
    }
    if (layout_ && tokens_.at("exists"))
      report::fail(report::Kind::not_supported, tokens_.span_here(), "`exists` is not supported yet",
                   "where an equation determines the variable, add it to the positions");
    if (layout_ && tokens_.at("forall"))
      report::fail(report::Kind::syntax_error, tokens_.span_here(),
                   "`forall` is allowed only at the beginning of a property",
                   "write `property forall r, p : guard => conclusion`");
    tokens_.fail_expected(layout_ ? "an expression" : "a tensor, a number or `(`",
                          tokens_.at("+")               ? "a sign `+` is not needed"
                          : tokens_.at(":") && !layout_ ? "a mode has an index: `A(i,j)`"
                          : tokens_.at("*") && !layout_ ? power_hint()
                                                        : "");
  }

  Expression parenthesized() {
    Level level(*this);
    bool outside = std::exchange(division_allowed_, false);
    std::size_t begin = tokens_.open("(").begin;
    Expression result = is_mask_        ? disjunction()
                        : has_formulas_ ? implication()
                        : is_value_     ? comparison()
                                        : sum();
    tokens_.close(")");
    division_allowed_ = outside;
    result.span = tokens_.span_from(begin);
    return result;
  }

  /// floor(a / b) or ceil(a / b).
  Expression rounded_quotient() {
    Level level(*this);
    Expression result;
    const Token word = tokens_.next();
    result.name = Name{std::string(word.text), tokens_.span(word)};
    bool outside = std::exchange(division_allowed_, true);
    tokens_.open("(", "after `" + result.name.text + "`");
    result.children.push_back(term());
    const Expression &quotient = result.children.back();
    if (quotient.kind != Kind::Divide || divides_again(quotient.children[0]))
      report::fail(report::Kind::syntax_error, quotient.span,
                   "expected one quotient `a / b` inside `" + result.name.text + "()`, saw " +
                       quote_shortened(quotient.span),
                   quotient.kind == Kind::Add || quotient.kind == Kind::Subtract
                       ? "put a sum that is divided in brackets: `floor((a + 1) / b)`"
                       : "integers need no rounding; round each quotient by itself");
    tokens_.close(")");
    division_allowed_ = outside;
    result.kind = Kind::Call;
    result.span = tokens_.span_from(word.begin);
    return result;
  }

  /// Whether the dividend `e` is a quotient too, as in `a / 2 * b` (what stands in brackets can't be).
  static bool divides_again(const Expression &e) {
    const Expression *left = &e;
    while (left->kind == Kind::Multiply || left->kind == Kind::Modulo)
      left = &left->children[0];
    return left->kind == Kind::Divide;
  }

  TokenStream &tokens_;
  const bool layout_;
  const bool has_formulas_; // in brackets, too
  const bool is_value_;     // comparisons are numbers, 1 or 0
  const bool is_mask_;      // accesses are conditions
  int depth_ = 0;
  int operators_ = 0;
  bool division_allowed_ = false; // directly inside floor() or ceil()
};

} // namespace

Expression parse_term(TokenStream &tokens) {
  return ExpressionParser(tokens).term();
}

Expression parse_value(TokenStream &tokens) {
  return ExpressionParser(tokens, ExpressionParser::Sort::Value).value();
}

Expression parse_formula(TokenStream &tokens) {
  return ExpressionParser(tokens).formula();
}

Expression parse_mask(TokenStream &tokens) {
  return ExpressionParser(tokens, ExpressionParser::Sort::Mask).formula();
}

std::vector<Expression> parse_terms_until(TokenStream &tokens, std::string_view closing) {
  return ExpressionParser(tokens).terms_until(closing);
}

} // namespace unravel::parse
