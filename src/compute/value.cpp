#include "compute/value.h"

#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace unravel::compute {

using parse::Expression;
using report::Kind;

namespace {

/// More terms would be no program that anybody reads, let alone runs.
constexpr std::size_t most_terms = 1024;

Sum products(const Sum &left, const Sum &right, const text::Span &span) {
  if (left.size() * right.size() > most_terms)
    report::fail(Kind::not_supported, span,
                 fmt::format("multiplied out, `{}` has {} terms: no more than {} are supported", span.text(),
                             left.size() * right.size(), most_terms),
                 "compute a factor by itself, into a tensor of its own");
  return value::terms_of(value::product(std::vector{value::sum(left), value::sum(right)}));
}

Sum quotients(Sum dividend, const Sum &divisor, const text::Span &divisor_span) {
  if (divisor.size() != 1)
    report::fail(Kind::not_a_product, divisor_span,
                 fmt::format("division by the sum `{}`", divisor_span.text()),
                 "compute the sum by itself first (in a program `let d = ...;`), and divide by that");
  if (value::quotient_of(divisor.front()).constant == 0)
    report::fail(Kind::not_a_product, divisor_span, "division by zero");
  for (Value &each : dividend)
    each = value::quotient(each, divisor.front());
  return dividend;
}

} // namespace

Sum negated(Sum sum) {
  for (Value &each : sum)
    each = value::negated(each);
  return sum;
}

bool take_old_value(Sum &sum, const Access &target) {
  auto old = std::find_if(sum.begin(), sum.end(), [&](const Value &each) {
    const auto *access = std::get_if<Access>(&each.kind);
    return access && to_text(*access) == to_text(target);
  });
  if (sum.size() < 2 || old == sum.end()) return false;
  sum.erase(old);
  return true;
}

Sum sum_of(const Expression &written, const std::function<Access(const Expression &)> &access) {
  auto part = [&](std::size_t k) { return sum_of(written.children[k], access); };
  switch (written.kind) {
  case Expression::Kind::Integer: return {{value::Number{static_cast<double>(written.integer)}}};
  case Expression::Kind::Decimal: return {{value::Number{written.decimal}}};
  case Expression::Kind::Name:
  case Expression::Kind::Call: return {{access(written)}};
  case Expression::Kind::Negate: return negated(part(0));
  case Expression::Kind::Add:
  case Expression::Kind::Subtract: {
    Sum sum = part(0), right = part(1);
    if (written.kind == Expression::Kind::Subtract) right = negated(std::move(right));
    sum.insert(sum.end(), std::make_move_iterator(right.begin()), std::make_move_iterator(right.end()));
    return sum;
  }
  case Expression::Kind::Multiply: {
    Sum left = part(0);
    return products(std::move(left), part(1), written.span);
  }
  case Expression::Kind::Divide: {
    Sum dividend = part(0);
    return quotients(std::move(dividend), part(1), written.children[1].span);
  }
  case Expression::Kind::Modulo:
  case Expression::Kind::Compare:
  case Expression::Kind::And:
  case Expression::Kind::Or:
  case Expression::Kind::Not:
  case Expression::Kind::Implies:
  case Expression::Kind::Truth:
  case Expression::Kind::Falsity: break;
  }
  report::fail(Kind::not_a_product, written.span, fmt::format("`{}` is not a value", written.span.text()),
               "values are made of tensors and numbers by + - * /");
}

} // namespace unravel::compute
