#include "layout/resolve.h"

#include "report/diagnostic.h"
#include "report/suggest.h"
#include "term/limits.h"

#include <fmt/format.h>

namespace unravel::layout {

using parse::Expression;
using report::Kind;
using term::Term;

namespace {

std::vector<std::string> known_names(const Scope &scope) {
  std::vector<std::string> names;
  for (const auto &[name, value] : scope.variables)
    names.push_back(name);
  for (const auto &[name, arity] : scope.functions)
    names.push_back(name);
  return names;
}

[[noreturn]] void unknown(const parse::Name &name, const Scope &scope) {
  if (auto found = scope.elsewhere.find(name.text); found != scope.elsewhere.end())
    report::fail(Kind::unknown_name, name.span,
                 fmt::format("`{}` can't be used here: {}", name.text, found->second));
  report::fail(
      Kind::unknown_name, name.span, fmt::format("unknown name `{}`", name.text),
      report::suggest(name.text, known_names(scope), "declare it as `index`, `count`, a size or a position"));
}

std::int64_t constant_divisor(const Expression &expression, const Scope &scope) {
  Term divisor = resolve_term(expression, scope);
  const auto *constant = divisor.as<term::Constant>();
  if (constant && constant->value <= 0)
    report::fail(Kind::not_affine, expression.span,
                 fmt::format("a divisor must be positive, not {}", constant->value));
  if (!constant)
    report::fail(Kind::not_affine, expression.span,
                 fmt::format("`{}` is not a constant", expression.span.text()),
                 "a divisor must be a literal or a parameter of the layout");
  return constant->value;
}

Term resolve_call(const Expression &call, const Scope &scope) {
  const std::string &name = call.name.text;
  if (name == "floor" || name == "ceil") {
    const Expression &inside = call.children.at(0);
    if (inside.kind != Expression::Kind::Divide) return resolve_term(inside, scope);
    Term numerator = resolve_term(inside.children[0], scope);
    std::int64_t divisor = constant_divisor(inside.children[1], scope);
    return name == "floor" ? term::floor_divide(numerator, divisor) : term::ceil_divide(numerator, divisor);
  }
  auto function = scope.functions.find(name);
  if (function == scope.functions.end()) {
    if (scope.variables.count(name))
      report::fail(Kind::wrong_arity, call.span,
                   fmt::format("`{}` is not an index array: it takes no arguments", name));
    unknown(call.name, scope);
  }
  if (function->second != call.children.size())
    report::fail(Kind::wrong_arity, call.span,
                 fmt::format("`{}` is declared with {} extent{}, but has {} argument{} here", name,
                             function->second, function->second == 1 ? "" : "s", call.children.size(),
                             call.children.size() == 1 ? "" : "s"));
  std::vector<Term> arguments;
  for (const Expression &argument : call.children)
    arguments.push_back(resolve_term(argument, scope));
  Term application = term::apply(name, std::move(arguments));
  if (scope.places) scope.places->emplace(application, call.span);
  return application;
}

[[noreturn]] void expected_integer(const Expression &expression) {
  report::fail(
      Kind::wrong_sort, expression.span,
      fmt::format("`{}` is a formula; an integer expression is expected here", expression.span.text()));
}

Term compare(Expression::Comparison comparison, const Term &a, const Term &b) {
  switch (comparison) {
  case Expression::Comparison::Equal: return term::equal(a, b);
  case Expression::Comparison::NotEqual: return term::negation(term::equal(a, b));
  case Expression::Comparison::Less: return term::less(a, b);
  case Expression::Comparison::AtMost: return term::at_most(a, b);
  case Expression::Comparison::Greater: return term::less(b, a);
  case Expression::Comparison::AtLeast: return term::at_most(b, a);
  }
  return term::falsity();
}

} // namespace

static Term resolve_numbers(const Expression &expression, const Scope &scope) {
  auto child = [&](std::size_t k) { return resolve_term(expression.children.at(k), scope); };
  switch (expression.kind) {
  case Expression::Kind::Integer: return Term(expression.integer);
  case Expression::Kind::Name: {
    auto found = scope.variables.find(expression.name.text);
    if (found != scope.variables.end()) return found->second;
    if (auto function = scope.functions.find(expression.name.text); function != scope.functions.end())
      report::fail(Kind::wrong_arity, expression.span,
                   fmt::format("`{}` is an index array with {} extent{}, but has no arguments here",
                               expression.name.text, function->second, function->second == 1 ? "" : "s"));
    unknown(expression.name, scope);
  }
  case Expression::Kind::Call: return resolve_call(expression, scope);
  case Expression::Kind::Negate: return -child(0);
  case Expression::Kind::Add: return child(0) + child(1);
  case Expression::Kind::Subtract: return child(0) - child(1);
  case Expression::Kind::Multiply: {
    Term product = term::multiply(child(0), child(1));
    if (product.as<term::Product>())
      report::fail(Kind::not_affine, expression.span,
                   fmt::format("`{}` is not affine: neither factor is a constant", expression.span.text()),
                   "make one factor a literal or a parameter of the layout; an array may have several "
                   "extents: `val[M, N]` at `val(i, j)`");
    return product;
  }
  case Expression::Kind::Modulo:
    return term::modulo(child(0), constant_divisor(expression.children.at(1), scope));
  case Expression::Kind::Divide:
    report::fail(Kind::not_affine, expression.span,
                 fmt::format("`{}`: a division must say how it rounds", expression.span.text()),
                 fmt::format("write floor({0}) or ceil({0})", expression.span.text()));
  case Expression::Kind::Decimal:
  case Expression::Kind::Imaginary:
    report::fail(Kind::wrong_sort, expression.span,
                 fmt::format("`{}` is not an integer", expression.span.text()));
  case Expression::Kind::Compare:
  case Expression::Kind::And:
  case Expression::Kind::Or:
  case Expression::Kind::Not:
  case Expression::Kind::Implies:
  case Expression::Kind::Truth:
  case Expression::Kind::Falsity: expected_integer(expression);
  }
  return Term();
}

Term resolve_term(const Expression &expression, const Scope &scope) {
  return term::with_small_numbers(resolve_numbers(expression, scope), expression.span);
}

Term resolve_formula(const Expression &expression, const Scope &scope) {
  auto children = [&] {
    std::vector<Term> result;
    for (const Expression &child : expression.children)
      result.push_back(resolve_formula(child, scope));
    return result;
  };
  switch (expression.kind) {
  case Expression::Kind::Truth: return term::truth();
  case Expression::Kind::Falsity: return term::falsity();
  case Expression::Kind::And: return term::conjunction(children());
  case Expression::Kind::Or: return term::disjunction(children());
  case Expression::Kind::Not: return term::negation(children().at(0));
  case Expression::Kind::Implies: {
    std::vector<Term> sides = children();
    return term::implication(sides.at(0), sides.at(1));
  }
  case Expression::Kind::Compare: {
    std::vector<Term> parts;
    for (std::size_t k = 0; k < expression.comparisons.size(); ++k)
      parts.push_back(compare(expression.comparisons[k], resolve_term(expression.children.at(k), scope),
                              resolve_term(expression.children.at(k + 1), scope)));
    return term::conjunction(parts);
  }
  case Expression::Kind::Integer:
  case Expression::Kind::Decimal:
  case Expression::Kind::Imaginary:
  case Expression::Kind::Name:
  case Expression::Kind::Call:
  case Expression::Kind::Negate:
  case Expression::Kind::Add:
  case Expression::Kind::Subtract:
  case Expression::Kind::Multiply:
  case Expression::Kind::Divide:
  case Expression::Kind::Modulo:
    report::fail(Kind::wrong_sort, expression.span,
                 fmt::format("`{}` is an integer; a condition is expected here", expression.span.text()),
                 "compare it with something, as in `0 <= p < NNZ`");
  }
  return term::falsity();
}

std::pair<Term, Term> resolve_implication(const Expression &expression, const Scope &scope) {
  if (expression.kind == Expression::Kind::Implies)
    return {resolve_formula(expression.children.at(0), scope),
            resolve_formula(expression.children.at(1), scope)};
  return {term::truth(), resolve_formula(expression, scope)};
}

} // namespace unravel::layout
