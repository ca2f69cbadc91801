#include "cfront/formula.h"

#include "parse/build.h"
#include "space/set.h"

#include <algorithm>

namespace unravel::cfront {

using parse::Expression;
using parse::over;

namespace {

Expression integer(std::int64_t value, const text::Span &span) {
  Expression result;
  result.kind = Expression::Kind::Integer;
  result.integer = value;
  result.span = span;
  return result;
}

/// |value|, which always fits: parse reads a sign apart from its number.
std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

} // namespace

Variable Variables::add(std::string name, bool is_loop, bool is_natural) {
  all_.push_back({std::move(name), is_loop, is_natural});
  return static_cast<Variable>(all_.size()) - 1;
}

bool Variables::has_loop(const Polynomial &polynomial) const {
  for (const auto &[monomial, coefficient] : polynomial.terms())
    if (std::any_of(monomial.begin(), monomial.end(), [&](Variable each) { return is_loop(each); }))
      return true;
  return false;
}

Expression Variables::expression(const Polynomial &affine, const text::Span &span) const {
  // n - i - 1: what is added before what is taken away, loops before sizes, the constant last.
  struct Part {
    std::int64_t coefficient;
    int rank;
    const Monomial *monomial;
  };
  std::vector<Part> parts;
  for (const auto &[monomial, coefficient] : affine.terms())
    parts.push_back(
        {coefficient, monomial.empty() ? 4 : (coefficient < 0 ? 2 : 0) + !is_loop(monomial[0]), &monomial});
  std::stable_sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) { return a.rank < b.rank; });
  // A sum of negative parts alone begins with its constant, where that helps: 3 - i.
  if (parts.size() > 1 && parts.front().coefficient < 0 && parts.back().coefficient > 0)
    std::rotate(parts.begin(), parts.end() - 1, parts.end());
  if (parts.empty()) return integer(0, span);
  auto part_text = [&](const Part &part) {
    std::int64_t factor = static_cast<std::int64_t>(magnitude(part.coefficient));
    if (part.monomial->empty()) return integer(factor, span);
    Expression variable;
    variable.kind = Expression::Kind::Name;
    variable.name = {name((*part.monomial)[0]), span};
    variable.span = span;
    if (factor == 1) return variable;
    return over(Expression::Kind::Multiply, {integer(factor, span), std::move(variable)}, span);
  };
  Expression sum = part_text(parts[0]);
  if (parts[0].coefficient < 0) sum = over(Expression::Kind::Negate, {std::move(sum)}, span);
  for (std::size_t k = 1; k < parts.size(); ++k)
    sum = over(parts[k].coefficient < 0 ? Expression::Kind::Subtract : Expression::Kind::Add,
               {std::move(sum), part_text(parts[k])}, span);
  return sum;
}

term::Term Variables::term(const Polynomial &polynomial) const {
  term::Term sum(0);
  for (const auto &[monomial, coefficient] : polynomial.terms()) {
    if (monomial.empty()) {
      sum = sum + term::Term(coefficient);
      continue;
    }
    std::string text; // names may repeat, indices don't
    for (Variable each : monomial)
      text += (text.empty() ? "v" : "*v") + std::to_string(each);
    sum = sum + term::scale(coefficient, term::variable(text));
  }
  return sum;
}

std::optional<Variable> Variables::find(const std::string &term_name) const {
  for (std::size_t k = 0; k < all_.size(); ++k)
    if (term_name == "v" + std::to_string(k)) return static_cast<Variable>(k);
  return std::nullopt;
}

std::vector<term::Term> Variables::natural_sizes() const {
  std::vector<term::Term> facts;
  for (std::size_t k = 0; k < all_.size(); ++k)
    if (all_[k].is_natural)
      facts.push_back(term::at_most(term::Term(0), term(Polynomial::of(static_cast<Variable>(k)))));
  return facts;
}

Condition Condition::compare(Polynomial left, Comparison comparison, Polynomial right,
                             const text::Span &span) {
  Condition result;
  result.span = span;
  result.kind = Kind::Compare;
  result.comparison = comparison;
  result.left = std::move(left);
  result.right = std::move(right);
  return result;
}

Condition Condition::of(Kind kind, std::vector<Condition> children, const text::Span &span) {
  if (children.size() == 1) return std::move(children.front());
  Condition result;
  result.kind = kind;
  result.span = span;
  for (Condition &child : children) {
    // a && (b && c) as one
    if (child.kind == kind)
      std::move(child.children.begin(), child.children.end(), std::back_inserter(result.children));
    else
      result.children.push_back(std::move(child));
  }
  return result;
}

Condition::Comparison negated(Condition::Comparison comparison) {
  using Comparison = Condition::Comparison;
  switch (comparison) {
  case Comparison::Equal: return Comparison::NotEqual;
  case Comparison::NotEqual: return Comparison::Equal;
  case Comparison::Less: return Comparison::AtLeast;
  case Comparison::AtMost: return Comparison::Greater;
  case Comparison::Greater: return Comparison::AtMost;
  case Comparison::AtLeast: return Comparison::Less;
  }
  return comparison;
}

Condition::Comparison turned(Condition::Comparison comparison) {
  using Comparison = Condition::Comparison;
  switch (comparison) {
  case Comparison::Equal:
  case Comparison::NotEqual: return comparison;
  case Comparison::Less: return Comparison::Greater;
  case Comparison::AtMost: return Comparison::AtLeast;
  case Comparison::Greater: return Comparison::Less;
  case Comparison::AtLeast: return Comparison::AtMost;
  }
  return comparison;
}

Condition negated(const Condition &condition) {
  using Kind = Condition::Kind;
  Condition result = condition;
  switch (condition.kind) {
  case Kind::Truth: result.kind = Kind::Falsity; break;
  case Kind::Falsity: result.kind = Kind::Truth; break;
  case Kind::Compare: result.comparison = negated(condition.comparison); break;
  case Kind::And:
  case Kind::Or:
    result.kind = condition.kind == Kind::And ? Kind::Or : Kind::And;
    for (Condition &child : result.children)
      child = negated(child);
    break;
  }
  return result;
}

Expression expression(const Condition &condition, const Variables &variables) {
  using Kind = Condition::Kind;
  switch (condition.kind) {
  case Kind::Truth: return over(Expression::Kind::Truth, {}, condition.span);
  case Kind::Falsity: return over(Expression::Kind::Falsity, {}, condition.span);
  case Kind::Compare: {
    Expression result = over(Expression::Kind::Compare,
                             {variables.expression(condition.left, condition.span),
                              variables.expression(condition.right, condition.span)},
                             condition.span);
    result.comparisons = {condition.comparison};
    return result;
  }
  case Kind::And:
  case Kind::Or: {
    std::vector<Expression> children;
    for (const Condition &child : condition.children)
      children.push_back(expression(child, variables));
    return over(condition.kind == Kind::And ? Expression::Kind::And : Expression::Kind::Or,
                std::move(children), condition.span);
  }
  }
  return {};
}

term::Term term(const Condition &condition, const Variables &variables) {
  using Kind = Condition::Kind;
  using Comparison = Condition::Comparison;
  switch (condition.kind) {
  case Kind::Truth: return term::truth();
  case Kind::Falsity: return term::falsity();
  case Kind::Compare: {
    term::Term left = variables.term(condition.left), right = variables.term(condition.right);
    switch (condition.comparison) {
    case Comparison::Equal: return term::equal(left, right);
    case Comparison::NotEqual: return term::negation(term::equal(left, right));
    case Comparison::Less: return term::less(left, right);
    case Comparison::AtMost: return term::at_most(left, right);
    case Comparison::Greater: return term::less(right, left);
    case Comparison::AtLeast: return term::at_most(right, left);
    }
    return term::truth();
  }
  case Kind::And:
  case Kind::Or: {
    std::vector<term::Term> children;
    for (const Condition &child : condition.children)
      children.push_back(term(child, variables));
    return condition.kind == Kind::And ? term::conjunction(std::move(children))
                                       : term::disjunction(std::move(children));
  }
  }
  return term::truth();
}

double pieces(const Condition &condition) {
  using Kind = Condition::Kind;
  double result = condition.kind == Kind::Or ? 0 : 1;
  if (condition.kind == Kind::Compare && condition.comparison == Condition::Comparison::NotEqual) return 2;
  for (const Condition &child : condition.children) {
    if (condition.kind == Kind::Or)
      result += pieces(child);
    else
      result *= pieces(child);
  }
  return result;
}

bool is_natural(const Polynomial &polynomial, const std::vector<term::Term> &facts,
                const Variables &variables) {
  bool obvious = true; // sums of sizes
  for (const auto &[monomial, coefficient] : polynomial.terms())
    obvious = obvious && coefficient > 0 && std::all_of(monomial.begin(), monomial.end(), [&](Variable each) {
                return variables.is_natural(each);
              });
  if (obvious) return true;
  std::vector<term::Term> parts = facts;
  parts.push_back(term::less(variables.term(polynomial), term::Term(0)));
  return space::Set(term::conjunction(std::move(parts))).is_empty();
}

} // namespace unravel::cfront
