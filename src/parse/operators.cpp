#include "parse/operators.h"

#include "parse/expression.h"
#include "parse/parse.h"
#include "parse/values.h"

#include <fmt/format.h>

namespace unravel::parse {

namespace {

constexpr std::string_view keyword = "operator";
constexpr const char *form_of_operators =
    "write `operator f(a, b) = min(a + b, 1) : associative, commutative, identity 0;`";
constexpr const char *known_laws =
    "laws are `associative`, `commutative`, `idempotent`, `identity 0`, `absorbs 1`, "
    "`distributes over min` and `on [0, 1]`";

double number(TokenStream &tokens, const std::string &behind) {
  const bool is_negative = tokens.accept("-");
  const std::optional<double> read = tokens.at_end() ? std::nullopt : fill_of(tokens.peek().text);
  if (!read) tokens.fail_expected("a number after " + behind);
  tokens.next();
  return is_negative ? -*read : *read;
}

LawTree law(TokenStream &tokens) {
  LawTree made;
  const std::size_t begin = tokens.peek().begin;
  if (tokens.accept("associative")) {
    made.kind = LawTree::Kind::Associative;
  } else if (tokens.accept("commutative")) {
    made.kind = LawTree::Kind::Commutative;
  } else if (tokens.accept("idempotent")) {
    made.kind = LawTree::Kind::Idempotent;
  } else if (tokens.accept("identity")) {
    made.kind = LawTree::Kind::Identity;
    made.number = number(tokens, "`identity`");
  } else if (tokens.accept("absorbs")) {
    made.kind = LawTree::Kind::Absorbs;
    made.number = number(tokens, "`absorbs`");
  } else if (tokens.accept("distributes")) {
    made.kind = LawTree::Kind::DistributesOver;
    tokens.expect("over", "after `distributes`");
    if (!tokens.at_name() && !tokens.at_any({"+", "*"})) tokens.fail_expected("an operator after `over`");
    const Token token = tokens.next();
    made.over = {std::string(token.text), tokens.span(token)};
  } else if (tokens.accept("on")) {
    made.kind = LawTree::Kind::On;
    tokens.open("[", "after `on`", "write `on [0, 1]`");
    made.number = number(tokens, "`[`");
    tokens.expect(",", "between the ends of a range");
    made.high = number(tokens, "`,`");
    tokens.close("]");
  } else {
    tokens.fail_expected("a law", known_laws);
  }
  made.span = tokens.span_from(begin);
  return made;
}

OperatorTree one_operator(TokenStream &tokens) {
  OperatorTree made;
  const std::size_t begin = tokens.next().begin;
  made.name = tokens.expect_name("the name of an operator", form_of_operators);
  tokens.open("(", "after the operator's name", form_of_operators);
  do
    made.arguments.push_back(tokens.expect_name("the name of an argument", form_of_operators));
  while (tokens.accept(","));
  tokens.close(")");
  tokens.expect("=", "between an operator and its value", form_of_operators);
  made.value = parse_value(tokens);
  if (tokens.accept(":")) {
    do
      made.laws.push_back(law(tokens));
    while (tokens.accept(","));
  }
  made.span = tokens.span_from(begin);
  tokens.expect(";", "after an operator", form_of_operators);
  return made;
}

std::string to_text(const LawTree &law) {
  switch (law.kind) {
  case LawTree::Kind::Associative: return "associative";
  case LawTree::Kind::Commutative: return "commutative";
  case LawTree::Kind::Idempotent: return "idempotent";
  case LawTree::Kind::Identity: return fmt::format("identity {}", law.number);
  case LawTree::Kind::Absorbs: return fmt::format("absorbs {}", law.number);
  case LawTree::Kind::DistributesOver: return "distributes over " + law.over.text;
  case LawTree::Kind::On: return fmt::format("on [{}, {}]", law.number, law.high);
  }
  return "";
}

} // namespace

std::vector<OperatorTree> parse_operators(TokenStream &tokens) {
  std::vector<OperatorTree> all;
  while (tokens.at(keyword) && tokens.peek_second().kind == Token::Kind::Name)
    all.push_back(one_operator(tokens));
  return all;
}

std::string to_text(const OperatorTree &made) {
  std::string arguments, laws;
  for (const Name &argument : made.arguments)
    arguments += (arguments.empty() ? "" : ", ") + argument.text;
  for (const LawTree &law : made.laws)
    laws += (laws.empty() ? " : " : ", ") + to_text(law);
  const bool is_comparison = made.value.kind == Expression::Kind::Compare;
  const std::string value = to_text(made.value);
  return fmt::format("operator {}({}) = {}{}", made.name.text, arguments,
                     is_comparison ? "(" + value + ")" : value, laws);
}

} // namespace unravel::parse
