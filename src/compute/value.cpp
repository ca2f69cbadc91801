#include "compute/argmin.h"
#include "compute/coordinates.h"
#include "compute/known.h"

#include "report/diagnostic.h"
#include "report/suggest.h"
#include "value/complex.h"
#include "value/exact.h"
#include "value/own.h"
#include "value/typed.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <utility>

namespace unravel::compute {

using parse::Expression;
using report::Kind;
using value::Operator;

namespace {

/// More terms would be no program that anybody reads, let alone runs.
constexpr std::size_t most_terms = 1024;

/// A number that is written as a name, and how messages call it.
struct NamedNumber {
  const char *name, *what;
  double value;
};
constexpr NamedNumber named_numbers[] = {
    {"inf", "the number infinity", std::numeric_limits<double>::infinity()},
    {"nan", "NaN", std::numeric_limits<double>::quiet_NaN()}};

const NamedNumber *number_named(const std::string &name) {
  const auto found = std::ranges::find(named_numbers, name, &NamedNumber::name);
  return found == std::end(named_numbers) ? nullptr : found;
}

[[noreturn]] void fail_operator(const parse::Name &name, const Operators &operators, const std::string &what,
                                bool reduces) {
  report::fail(
      Kind::unknown_operator, name.span, fmt::format("`{}` is {}", name.text, what),
      report::suggest(name.text, operators.names(reduces),
                      reduces ? "results are reduced by `+`, `*`, `min`, `max`, `and`, `or`, `xor` or `any`"
                              : "docs/operators.md lists the operators"));
}

Operator reduction_named(const parse::Name &name, const Operators &operators) {
  const std::optional<Operator> op = operators.named(name.text);
  if (!op) fail_operator(name, operators, "not an operator that a result can be reduced by", true);
  const value::Laws &laws = value::laws_of(*op);
  if (laws.identity && !value::is_reduction(*op))
    report::fail(Kind::unknown_operator, name.span,
                 fmt::format("`{}` isn't declared {}: a result can't be reduced by it", name.text,
                             laws.is_associative ? "commutative" : "associative"),
                 "state it after the operator's value: `: associative, commutative, identity 0`");
  if (!value::is_reduction(*op))
    fail_operator(name, operators, "an operator without an identity: a result can't be reduced by it", true);
  return *op;
}

class ValueBuilder {
public:
  ValueBuilder(const LeafOf &leaf, const Algebra &algebra, const Operators &operators)
      : leaf_(leaf), algebra_(algebra), operators_(operators) {}

  Sum sum(const Expression &written) const {
    auto part = [&](std::size_t k) { return sum(written.children[k]); };
    switch (written.kind) {
    case Expression::Kind::Integer: return {{number(written)}};
    case Expression::Kind::Decimal: return {{value::Number{written.decimal}}};
    case Expression::Kind::Imaginary: return {value::complex_constant<Value>({0, written.decimal})};
    case Expression::Kind::Name:
      if (const NamedNumber *number = number_named(written.name.text))
        return {{value::Number{number->value}}};
      return {leaf_(written)};
    case Expression::Kind::Call:
      if (const std::optional<Operator> op = operators_.called(written.name.text))
        return {call(*op, written)};
      if (is_argmin(written.name.text)) fail_argmin_inside(written);
      return {leaf_(written)};
    case Expression::Kind::Compare: return {comparisons(written)};
    case Expression::Kind::Negate: refuse_in_semiring(written, "a sign"); return negated(part(0));
    case Expression::Kind::Add:
    case Expression::Kind::Subtract: {
      Sum terms = part(0), right = part(1);
      if (written.kind == Expression::Kind::Subtract) {
        refuse_in_semiring(written, "a difference");
        right = negated(std::move(right));
      }
      if (right.size() == 1 && add_to_constant(terms, right.front())) return terms;
      if (algebra_.is_plain() && right.size() > 1) right = {bracket(std::move(right))};
      terms.insert(terms.end(), std::make_move_iterator(right.begin()), std::make_move_iterator(right.end()));
      return terms;
    }
    case Expression::Kind::Multiply: {
      Sum left = part(0), right = part(1);
      if (left.size() == 1 && right.size() == 1)
        if (std::optional<Value> constant = of_constants(Operator::Multiply, left.front(), right.front()))
          return {std::move(*constant)};
      return products(left, right, written.span);
    }
    case Expression::Kind::Divide: {
      refuse_in_semiring(written, "a quotient");
      Sum dividend = part(0), divisor = part(1);
      if (dividend.size() == 1 && divisor.size() == 1)
        if (std::optional<Value> constant = of_constants(Operator::Divide, dividend.front(), divisor.front()))
          return {std::move(*constant)};
      return quotients(std::move(dividend), divisor, written.children[1].span);
    }
    case Expression::Kind::Modulo:
    case Expression::Kind::And:
    case Expression::Kind::Or:
    case Expression::Kind::Not:
    case Expression::Kind::Implies:
    case Expression::Kind::Truth:
    case Expression::Kind::Falsity: break;
    }
    report::fail(Kind::not_a_product, written.span, fmt::format("`{}` is not a value", written.span.text()),
                 "values are made of tensors and numbers by + - * /, comparisons and operators such as "
                 "`min(a, b)`");
  }

  Value value(const Expression &written) const {
    Sum terms = sum(written);
    return algebra_.is_plain() ? bracket(std::move(terms)) : value::reduced(algebra_.add, std::move(terms));
  }

private:
  /// A sum as one value, computed as it is written; a sum of coordinates is a coordinate.
  static Value bracket(Sum terms) {
    return value::reduced(Operator(Operator::Add), with_affine_factors(std::move(terms), {}));
  }

  /// What the operator makes of two constants of which one is complex: 2i * 3, 1 + 2i. None of others.
  std::optional<Value> of_constants(Operator op, const Value &left, const Value &right) const {
    const auto a = value::constant_of(left), b = value::constant_of(right);
    const bool is_real = value::number_of(left) && value::number_of(right);
    if (!a || !b || is_real || !algebra_.is_plain()) return std::nullopt;
    std::complex<double> made = value::evaluate_complex<double>(op, {*a, *b});
    if (op != Operator::Divide && value::number_of(left)) // a real number has no part that is 0
      made = op == Operator::Add ? std::complex(made.real(), b->imag()) : a->real() * *b;
    if (op != Operator::Divide && value::number_of(right))
      made = op == Operator::Add ? std::complex(made.real(), a->imag()) : *a * b->real();
    if (!std::isfinite(made.real()) || !std::isfinite(made.imag())) return std::nullopt;
    return value::complex_constant<Value>(made);
  }

  /// Complex numbers are written as sums, which are one term.
  bool add_to_constant(Sum &terms, const Value &added) const {
    for (Value &term : terms)
      if (std::optional<Value> constant = of_constants(Operator::Add, term, added)) {
        term = std::move(*constant);
        return true;
      }
    return false;
  }

  static value::Number number(const Expression &written) {
    if (!value::is_exact_as_double({value::Type::Int64, 0, written.integer}))
      report::fail(Kind::number_too_large, written.span,
                   fmt::format("`{}` is no double, as numbers in the text are: integers up to 2^53 are exact",
                               written.span.text()),
                   "compute it from smaller ones, as 2147483648 * 4194304 + 1, of integers of 64 bits");
    return {static_cast<double>(written.integer)};
  }

  void refuse_in_semiring(const Expression &written, const char *what) const {
    compute::refuse_in_semiring(algebra_, written.span, what);
  }

  Value call(Operator op, const Expression &written) const {
    const value::Laws &laws = value::laws_of(op);
    const std::size_t given = written.children.size();
    if (given < laws.least || (given > laws.least && !laws.is_associative))
      report::fail(
          Kind::unknown_operator, written.span,
          fmt::format("the operator `{}` takes {}{} argument{}, not {}", laws.name,
                      laws.is_associative ? "at least " : "", laws.least, laws.least == 1 ? "" : "s", given),
          fmt::format("a tensor can't have the name `{}`, nor that of any other operator", laws.name));
    std::vector<Value> arguments;
    for (const Expression &child : written.children)
      arguments.push_back(value(child));
    if (const auto type = value::made_by_conversion(op); type && value::is_integer(*type))
      if (const auto number = constant_in(*type, arguments.front())) arguments.front() = {*number};
    return value::made_by(op, std::move(arguments));
  }

  /// What the integer type makes of constants, where a double holds that: of 0.5 + 0.7 it is 1.
  static std::optional<value::Number> constant_in(value::Type type, const Value &tree) {
    value::TypedParts parts;
    value::collect_types(
        tree, [](const Value &) { return std::optional(value::Type::Int64); }, true, parts);
    const auto known_in = [&](value::Type computed) {
      return known_value(tree, computed, {}, [](const Access &) { return Known(); });
    };
    const Known in_reals = known_in(value::Type::Float64);
    const bool is_real = parts.is_fraction || parts.is_real;
    const Known known = is_real ? in_reals : known_in(value::Type::Int64);
    if (parts.common || known.kind != Known::Kind::Number) return std::nullopt;
    // It is the end of this type, not of int64 and then cut.
    if (!is_real && !std::isfinite(in_reals.number.real)) return std::nullopt;
    const value::Scalar made = value::converted(known.number, type);
    if (!value::is_exact_as_double(made) || !value::holds(type, made.number())) return std::nullopt;
    return value::Number{made.number()};
  }

  /// a < b <= c: both hold.
  Value comparisons(const Expression &written) const {
    std::vector<Value> all;
    for (std::size_t k = 0; k < written.comparisons.size(); ++k) {
      Value left = value(written.children[k]), right = value(written.children[k + 1]);
      Operator op = Operator::Equal;
      switch (written.comparisons[k]) {
      case Expression::Comparison::Equal: break;
      case Expression::Comparison::NotEqual: op = Operator::NotEqual; break;
      case Expression::Comparison::Greater: std::swap(left, right); [[fallthrough]];
      case Expression::Comparison::Less: op = Operator::Less; break;
      case Expression::Comparison::AtLeast: std::swap(left, right); [[fallthrough]];
      case Expression::Comparison::AtMost: op = Operator::AtMost; break;
      }
      all.push_back(value::apply(op, std::vector{std::move(left), std::move(right)}));
    }
    return all.size() == 1 ? std::move(all.front()) : value::apply(Operator::And, std::move(all));
  }

  Sum products(const Sum &left, const Sum &right, const text::Span &span) const {
    if (algebra_.is_plain()) return {value::product(std::vector{bracket(left), bracket(right)})};
    if (left.size() * right.size() > most_terms)
      report::fail(Kind::not_supported, span,
                   fmt::format("multiplied out, `{}` has {} terms: no more than {} are supported",
                               span.text(), left.size() * right.size(), most_terms),
                   "compute a factor by itself, into a tensor of its own");
    for (std::size_t k = 0; k < 2; ++k)
      if ((k == 0 ? left : right).size() > 1 && !value::distributes(algebra_.multiply, k, algebra_.add))
        report::fail(Kind::not_a_product, span,
                     fmt::format("`{}` can't be multiplied out: `{}` doesn't distribute over `{}`",
                                 span.text(), value::laws_of(algebra_.multiply).name,
                                 value::laws_of(algebra_.add).name),
                     "compute the sum by itself first");
    Sum all;
    for (const Value &one : left)
      for (const Value &other : right) {
        std::vector<Value> factors{one, other};
        if (value::laws_of(algebra_.multiply).is_associative) {
          factors = value::parts_by(algebra_.multiply, one);
          for (Value &factor : value::parts_by(algebra_.multiply, other))
            factors.push_back(std::move(factor));
        }
        all.push_back(value::made_by(algebra_.multiply, std::move(factors)));
      }
    return all;
  }

  static Sum quotients(Sum dividend, const Sum &divisor, const text::Span &divisor_span) {
    if (divisor.size() != 1)
      report::fail(Kind::not_a_product, divisor_span,
                   fmt::format("division by the sum `{}`", divisor_span.text()),
                   "compute the sum by itself first (in a program `let d = ...;`), and divide by that");
    if (value::quotient_of(divisor.front()).constant == 0 ||
        value::constant_of(divisor.front()) == std::complex<double>())
      report::fail(Kind::not_a_product, divisor_span, "division by zero");
    return {value::quotient(bracket(std::move(dividend)), divisor.front())};
  }

  const LeafOf &leaf_;
  const Algebra &algebra_;
  const Operators &operators_;
};

/// Where truth is reduced: the value's.
Value as_truth(Value value, Operator by) {
  const auto *made = std::get_if<Value::Apply>(&value.kind);
  if (!value::is_truth(by) || (made && value::is_truth(made->op))) return value;
  return value::apply(Operator::NotEqual, std::vector<Value>{std::move(value), {value::Number{0}}});
}

} // namespace

Algebra algebra_of(const parse::AssignmentTree &tree, const Operators &operators) {
  using Written = parse::AssignmentTree::Operator;
  Algebra algebra;
  if (const std::optional<parse::SemiringTree> &semiring = tree.semiring) {
    algebra.is_semiring = true;
    algebra.add = algebra.by = reduction_named(semiring->add, operators);
    const std::optional<Operator> multiply = operators.named(semiring->multiply.text);
    if (!multiply || value::laws_of(*multiply).least != 2)
      fail_operator(semiring->multiply, operators,
                    multiply ? "not an operator of two arguments" : "not an operator", false);
    algebra.multiply = *multiply;
  }
  if (tree.op == Written::Reduce) {
    const Operator by = reduction_named(tree.reduction, operators);
    if (algebra.is_semiring && by != algebra.by)
      report::fail(Kind::unknown_operator, tree.reduction.span,
                   fmt::format("the result is reduced by `{}` here, but by `{}` in `{}`", tree.reduction.text,
                               tree.semiring->add.text, tree.semiring->span.text()));
    algebra.by = by;
  }
  return algebra;
}

void refuse_in_semiring(const Algebra &algebra, const text::Span &span, const std::string &what) {
  if (algebra.is_plain()) return;
  report::fail(Kind::not_a_product, span,
               fmt::format("`{}` is {}, which has no meaning where `+` and `*` mean other operators",
                           span.text(), what),
               "leave out `in`, and write operators by their names: `min(a, b)`");
}

Sum negated(Sum sum) {
  for (Value &each : sum) {
    const auto constant = value::number_of(each) ? std::nullopt : value::constant_of(each);
    each = constant ? value::complex_constant<Value>(-*constant) : value::negated(each);
  }
  return sum;
}

Sum sum_of(const Expression &written, const LeafOf &leaf, const Algebra &algebra,
           const Operators &operators) {
  return ValueBuilder(leaf, algebra, operators).sum(written);
}

std::vector<Value> reduced_terms(Sum sum, const Algebra &algebra, bool as_one) {
  std::vector<Value> terms;
  if (as_one)
    terms = {value::reduced(algebra.add, std::move(sum))};
  else if (algebra.by == algebra.add)
    terms = std::move(sum);
  else if (value::laws_of(algebra.by).is_idempotent)
    terms = value::parts_by(algebra.by, value::reduced(algebra.add, std::move(sum)));
  else // parts with fewer indices would be taken into account more often
    terms = {value::reduced(algebra.add, std::move(sum))};
  for (Value &term : terms)
    term = as_truth(std::move(term), algebra.by);
  return terms;
}

std::optional<Operator> take_old_value(Sum &sum, const Access &target, const Algebra &algebra) {
  auto is_old = [&](const Value &each) {
    const auto *access = std::get_if<Access>(&each.kind);
    return access && to_text(*access) == to_text(target);
  };
  if (sum.size() == 1 && !algebra.is_semiring) { // min(x, e)
    const auto *made = std::get_if<Value::Apply>(&sum.front().kind);
    if (!made || made->op == Operator::Multiply || !value::is_reduction(made->op)) return std::nullopt;
    const Operator by = made->op;
    std::vector<Value> parts = value::parts_by(by, sum.front());
    const auto old = std::ranges::find_if(parts, is_old);
    if (old == parts.end() || parts.size() < 2) return std::nullopt;
    parts.erase(old);
    sum = std::move(parts);
    return by;
  }
  const auto old = std::ranges::find_if(sum, is_old);
  if (sum.size() < 2 || old == sum.end()) return std::nullopt;
  sum.erase(old);
  return algebra.add;
}

bool is_number_name(const std::string &name) {
  return number_named(name) != nullptr;
}

void check_target_name(const parse::Name &name, const Operators &operators) {
  const NamedNumber *number = number_named(name.text);
  if (!number && !operators.called(name.text) && !is_argmin(name.text)) return;
  report::fail(Kind::unknown_operator, name.span,
               fmt::format("`{}` is {}, so no tensor can have that name", name.text,
                           number ? number->what : "an operator"),
               "choose another name");
}

void check_number_name(const parse::Name &name, const std::string &what) {
  const NamedNumber *number = number_named(name.text);
  if (!number) return;
  report::fail(Kind::duplicate_name, name.span,
               fmt::format("`{}` is {}, so no {} can have that name", name.text, number->what, what),
               "choose another name");
}

} // namespace unravel::compute
