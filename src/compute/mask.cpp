#include "compute/mask.h"

#include "compute/build_tree.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace unravel::compute {

using parse::Expression;
using term::Term;

namespace {

constexpr std::size_t most_cases = 64;

class Cases {
public:
  Cases(const std::function<Access(const Expression &)> &access, const NamedTerm &named)
      : access_(access), named_(named) {}

  /// Where it holds; or, not `wanted`, where it doesn't.
  std::vector<MaskCase> of(const Expression &written, bool wanted) const {
    switch (written.kind) {
    case Expression::Kind::Not: return of(written.children[0], !wanted);
    case Expression::Kind::And:
    case Expression::Kind::Or: {
      const bool is_and = (written.kind == Expression::Kind::And) == wanted;
      std::vector<MaskCase> all = of(written.children[0], wanted);
      std::vector<MaskCase> before = is_and ? std::vector<MaskCase>() : of(written.children[0], !wanted);
      for (std::size_t k = 1; k < written.children.size(); ++k) {
        const std::vector<MaskCase> next = of(written.children[k], wanted);
        if (is_and) {
          all = both(all, next, written);
          continue;
        }
        for (MaskCase &each : both(before, next, written)) // in none of those before
          all.push_back(std::move(each));
        if (k + 1 < written.children.size()) before = both(before, of(written.children[k], !wanted), written);
      }
      return all;
    }
    case Expression::Kind::Name:
    case Expression::Kind::Call: return {{{{access_(written), !wanted}}, term::truth()}};
    default: break;
    }
    Term condition = condition_of(written, named_);
    return {{{}, wanted ? std::move(condition) : term::negation(condition)}};
  }

private:
  static std::vector<MaskCase> both(const std::vector<MaskCase> &some, const std::vector<MaskCase> &others,
                                    const Expression &written) {
    if (some.size() * others.size() > most_cases)
      report::fail(report::Kind::expression_too_large, written.span,
                   fmt::format("this mask has more than {} cases", most_cases),
                   "write several assignments, or fewer `or`");
    std::vector<MaskCase> all;
    for (const MaskCase &one : some)
      for (const MaskCase &other : others) {
        MaskCase made = one;
        made.masks.insert(made.masks.end(), other.masks.begin(), other.masks.end());
        made.condition = term::conjunction({made.condition, other.condition});
        all.push_back(std::move(made));
      }
    return all;
  }

  const std::function<Access(const Expression &)> &access_;
  const NamedTerm &named_;
};

/// left = right, or left >= right, with what is negative in a difference on the other side.
Expression comparison_expression(const term::Compare &compare, bool is_negated, const text::Span &span) {
  const term::Linear form = term::linear_form(compare.left);
  Term left(std::max<std::int64_t>(form.constant, 0)), right(left - Term(form.constant));
  for (const auto &[atom, coefficient] : form.parts) {
    Term &side = coefficient > 0 ? left : right;
    side = side + term::scale(std::abs(coefficient), atom);
  }
  using Comparison = Expression::Comparison;
  Comparison sign = compare.relation == term::Relation::AtLeast ? Comparison::AtLeast
                    : is_negated                                ? Comparison::NotEqual
                                                                : Comparison::Equal;
  if (left.as<term::Constant>()) { // i <= 2
    std::swap(left, right);
    if (sign == Comparison::AtLeast) sign = Comparison::AtMost;
  }
  Expression made =
      over(Expression::Kind::Compare, {term_expression(left, span), term_expression(right, span)}, span);
  made.comparisons = {sign};
  return made;
}

Expression condition_expression(const Term &condition, const text::Span &span) {
  auto parts = [&](const std::vector<Term> &of) {
    std::vector<Expression> all;
    for (const Term &part : of)
      all.push_back(condition_expression(part, span));
    return all;
  };
  if (const auto *all = condition.as<term::And>())
    return over(Expression::Kind::And, parts(all->parts), span);
  if (const auto *any = condition.as<term::Or>()) return over(Expression::Kind::Or, parts(any->parts), span);
  if (term::is_true(condition)) return over(Expression::Kind::Truth, {}, span);
  if (term::is_false(condition)) return over(Expression::Kind::Falsity, {}, span);
  const auto *negated = condition.as<term::Not>();
  const auto *compare = (negated ? negated->of : condition).as<term::Compare>();
  if (negated && !compare)
    return over(Expression::Kind::Not, {condition_expression(negated->of, span)}, span);
  report::require(compare != nullptr, "conditions of masks are made of comparisons");
  return comparison_expression(*compare, negated != nullptr, span);
}

} // namespace

std::vector<MaskCase> cases_of(const std::optional<Expression> &mask,
                               const std::function<Access(const Expression &)> &access,
                               const NamedTerm &named) {
  if (!mask) return {{}};
  return Cases(access, named).of(*mask, true);
}

std::vector<Statement> masked(const Statement &statement, const std::vector<MaskCase> &cases) {
  std::vector<Statement> all;
  for (const MaskCase &each : cases) {
    all.push_back(statement);
    all.back().masks = each.masks;
    all.back().condition = term::conjunction({statement.condition, each.condition});
  }
  return all;
}

const Access *read_like(const Statement &statement, const Mask &mask) {
  const Access *found = nullptr;
  value::each_leaf<Access>(statement.value, [&](const Access &access) {
    if (!found && to_text(access) == to_text(mask.access)) found = &access;
  });
  return found;
}

std::optional<Expression> mask_expression(const Statement &statement) {
  std::vector<Expression> parts;
  for (const Mask &mask : statement.masks) {
    Expression access = expression_of(mask.access);
    parts.push_back(mask.is_absent ? over(Expression::Kind::Not, {std::move(access)}, statement.span)
                                   : std::move(access));
  }
  if (!term::is_true(statement.condition))
    parts.push_back(condition_expression(statement.condition, statement.span));
  if (parts.empty()) return std::nullopt;
  return parts.size() == 1 ? std::move(parts.front())
                           : over(Expression::Kind::And, std::move(parts), statement.span);
}

std::string to_text(const std::vector<Mask> &masks) {
  std::string text;
  for (const Mask &mask : masks)
    text += fmt::format("{}{}{}", text.empty() ? "" : " and ", mask.is_absent ? "not " : "",
                        to_text(mask.access));
  return text;
}

} // namespace unravel::compute
