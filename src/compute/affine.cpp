#include "compute/affine.h"

#include "report/diagnostic.h"
#include "term/limits.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

namespace unravel::compute {

using parse::Expression;
using term::Term;

namespace {

Term sum_of(const Expression &written, const std::string &what, const NamedTerm &named) {
  auto part = [&](std::size_t k) { return affine_of(written.children[k], what, named); };
  switch (written.kind) {
  case Expression::Kind::Integer: return Term(written.integer);
  case Expression::Kind::Name: return named(written.name);
  case Expression::Kind::Negate: return -part(0);
  case Expression::Kind::Add: return part(0) + part(1);
  case Expression::Kind::Subtract: return part(0) - part(1);
  case Expression::Kind::Multiply: {
    Term left = part(0), right = part(1);
    if (const auto *factor = left.as<term::Constant>()) return term::scale(factor->value, right);
    if (const auto *factor = right.as<term::Constant>()) return term::scale(factor->value, left);
    break;
  }
  default: break;
  }
  const bool tests_value = what == "a condition" && written.kind == Expression::Kind::Call;
  report::fail(
      report::Kind::bad_subscript, written.span,
      fmt::format("`{}` is not affine, as {} must be", written.span.text(), what),
      hint_without_product(
          written,
          tests_value
              ? "conditions are on indices; values are tested in a value, as in `select(x(i) > 0, x(i), 0)`"
              : "an affine expression is a sum of loop variables, sizes and integers, each times an "
                "integer"));
}

} // namespace

Term affine_of(const Expression &written, const std::string &what, const NamedTerm &named) {
  return term::with_small_numbers(sum_of(written, what, named), written.span);
}

std::string hint_without_product(const Expression &written, const std::string &other) {
  if (written.kind != Expression::Kind::Imaginary) return other;
  const std::string text = written.span.text();
  return fmt::format("`{}` is an imaginary number; a product is written `{} * i`", text,
                     text.substr(0, text.size() - 1));
}

Term condition_of(const Expression &written, const NamedTerm &named) {
  auto parts = [&] {
    std::vector<Term> all;
    for (const Expression &child : written.children)
      all.push_back(condition_of(child, named));
    return all;
  };
  switch (written.kind) {
  case Expression::Kind::And: return term::conjunction(parts());
  case Expression::Kind::Or: return term::disjunction(parts());
  case Expression::Kind::Not: return term::negation(parts().front());
  case Expression::Kind::Implies: {
    const std::vector<Term> both = parts();
    return term::implication(both[0], both[1]);
  }
  case Expression::Kind::Truth: return term::truth();
  case Expression::Kind::Falsity: return term::falsity();
  default: break;
  }
  report::require(!written.comparisons.empty(), "formulas are made of comparisons");
  std::vector<Term> all;
  for (std::size_t k = 0; k < written.comparisons.size(); ++k) {
    Term left = affine_of(written.children[k], "a condition", named);
    Term right = affine_of(written.children[k + 1], "a condition", named);
    switch (written.comparisons[k]) {
    case Expression::Comparison::Equal: all.push_back(term::equal(left, right)); break;
    case Expression::Comparison::NotEqual: all.push_back(term::negation(term::equal(left, right))); break;
    case Expression::Comparison::Less: all.push_back(term::less(left, right)); break;
    case Expression::Comparison::AtMost: all.push_back(term::at_most(left, right)); break;
    case Expression::Comparison::Greater: all.push_back(term::less(right, left)); break;
    case Expression::Comparison::AtLeast: all.push_back(term::at_most(right, left)); break;
    }
  }
  return term::conjunction(std::move(all));
}

} // namespace unravel::compute
