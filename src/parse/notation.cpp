#include "parse/assignment.h"
#include "parse/expression.h"
#include "parse/operators.h"
#include "parse/parse.h"

// The grammar, behind operators of the user's own (operators.h): name ["(" [list(term)] ")"] ("=" | "+=" |
// name "=") value ["in" operator "." operator]
// ["mask" mask], with + - * /, unary -, comparisons, brackets, integers, decimals, accesses and calls name
// ["(" [list(value)] ")"]. A mask is a formula over accesses and comparisons of indices.

namespace unravel::parse {

namespace {

constexpr const char *one_assignment_hint =
    "an expression is one assignment; write several in loops: `for i { y(i) = 0; for j { ... } }`";
constexpr const char *assignment_hint = "write an assignment such as `y(i) = A(i,j) * x(j)`";

[[noreturn]] void fail_not_supported(const text::Span &span, const std::string &what,
                                     const std::string &hint) {
  report::fail(report::Kind::not_supported, span, "`" + what + "` is not supported yet", hint);
}

class AssignmentParser {
public:
  explicit AssignmentParser(TokenStream &tokens)
      : tokens_(tokens), in_program_(tokens.dialect() == Dialect::Program) {}

  AssignmentTree parse() {
    AssignmentTree result;
    result.target = parse_target();
    result.op = parse_operator(result.reduction);
    result.value = parse_value(tokens_);
    if (in_program_) fail_if_subscript();
    result.span = text::join(result.target.span, result.value.span);
    if (tokens_.at("in")) {
      result.semiring = parse_semiring();
      result.span = text::join(result.target.span, result.semiring->span);
    }
    if (tokens_.accept("mask")) {
      result.mask = parse_mask(tokens_);
      result.span = text::join(result.target.span, result.mask->span);
    }
    return result;
  }

  [[noreturn]] void fail_leftover() {
    fail_if_subscript();
    std::string hint;
    if (tokens_.at(";")) hint = one_assignment_hint;
    if (tokens_.peek().kind == Token::Kind::Name || tokens_.at("(")) hint = "a product is written with `*`";
    if (tokens_.at_any({"if", "where", "when"}))
      hint = "conditions on indices stand in a mask: `mask j < i`; values are chosen by `select(x(j) > 0, "
             "x(j), 0)`";
    if (tokens_.at("in")) hint = "write `in` before `mask`";
    if (tokens_.at("=")) hint = one_assignment_hint;
    tokens_.fail_expected("an operator or the end of the expression", hint);
  }

private:
  Expression parse_target() {
    Expression target;
    target.name = tokens_.expect_name("the name of the result", assignment_hint);
    target.kind = Expression::Kind::Name;
    target.span = target.name.span;
    fail_if_subscript();
    if (!tokens_.at("(")) return target;
    tokens_.open("(");
    target.kind = Expression::Kind::Call;
    target.children = parse_terms_until(tokens_, ")");
    target.span = tokens_.span_from(target.name.span.begin);
    return target;
  }

  /// `in min.+`, `in plus.pair`.
  SemiringTree parse_semiring() {
    const std::size_t begin = tokens_.next().begin;
    auto part = [&](const char *what) {
      if (!tokens_.at_name() && !tokens_.at_any({"+", "*"}))
        tokens_.fail_expected(what,
                              "write `in min.+`: first the operator that adds up, then that of products");
      const Token token = tokens_.next();
      return Name{std::string(token.text), tokens_.span(token)};
    };
    SemiringTree result;
    result.add = part("the operator that adds up");
    tokens_.expect(".", "between the operators of `in`", "write `in min.+`");
    result.multiply = part("the operator of products");
    result.span = tokens_.span_from(begin);
    return result;
  }

  AssignmentTree::Operator parse_operator(Name &reduction) {
    using Operator = AssignmentTree::Operator;
    if (tokens_.accept("=")) return Operator::Set;
    if (tokens_.accept("+=")) return Operator::Add;
    if (tokens_.peek().kind == Token::Kind::Name && tokens_.peek_second().text == "=") {
      const Token word = tokens_.next();
      reduction = {std::string(word.text), tokens_.span(word)};
      tokens_.next();
      return Operator::Reduce;
    }
    if (in_program_) {
      if (tokens_.accept("-=")) return Operator::Subtract;
      if (tokens_.accept("*=")) return Operator::Multiply;
      if (tokens_.accept("/=")) return Operator::Divide;
      tokens_.fail_expected("`=`, `+=`, `-=`, `*=` or `/=`", tokens_.at("==") ? "write `=`" : "");
    }
    if (tokens_.accept("*=")) return Operator::Multiply;
    if (tokens_.at_any({"-=", "/="}))
      fail_not_supported(tokens_.span_here(), std::string(tokens_.peek().text),
                         "results are reduced with `=` or `+=`, which add, as `y(i) += 0 - x(i)` does, or with "
                         "`*=`, `min=` and "
                         "the like");
    tokens_.fail_expected("`=` or `+=`", tokens_.at("==") ? "write `=`" : "");
  }

  void fail_if_subscript() {
    if (tokens_.at_any({"[", "{"})) tokens_.fail_expected("`(`", "write indices in round brackets: `A(i,j)`");
  }

  TokenStream &tokens_;
  const bool in_program_;
};

} // namespace

AssignmentTree parse_assignment(TokenStream &tokens) {
  return AssignmentParser(tokens).parse();
}

AssignmentTree parse_assignment(const std::shared_ptr<const text::Source> &source) {
  TokenStream tokens(source, Dialect::Notation);
  std::vector<OperatorTree> operators = parse_operators(tokens);
  AssignmentParser parser(tokens);
  AssignmentTree result = parser.parse();
  result.operators = std::move(operators);
  if (!tokens.at_end()) parser.fail_leftover();
  return result;
}

} // namespace unravel::parse
