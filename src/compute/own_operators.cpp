#include "compute/own_operators.h"

#include "compute/argmin.h"
#include "compute/value.h"
#include "report/diagnostic.h"
#include "value/own.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::compute {

using parse::Expression;
using parse::LawTree;
using parse::OperatorTree;
using report::Kind;
using value::Operator;

namespace {

/// Of the law as it is written.
text::Span span_of(const OperatorTree &tree, const std::string &law) {
  const std::string word = law.substr(0, law.find(' '));
  const auto found = std::ranges::find_if(
      tree.laws, [&](const LawTree &each) { return each.span.text().starts_with(word); });
  return found == tree.laws.end() ? tree.span : found->span;
}

void check_laws(const OperatorTree &tree, const Operator &op, value::Type type) {
  const auto broken = value::broken_law(op, type);
  if (!broken) return;
  report::fail(Kind::broken_law, span_of(tree, broken->law),
               fmt::format("`{}` doesn't hold for `{}`{}: {}", broken->law, tree.name.text,
                           value::is_integer(type) ? fmt::format(" in {}", value::facts_of(type).word) : "",
                           broken->sample),
               "leave out the law; or `on [low, high]` says for which numbers it holds");
}

/// Its value as a tree over its arguments.
value::Definition definition_of(const OperatorTree &tree, const Operators &known) {
  const auto number_of_argument = [&](const parse::Name &name) {
    const auto found = std::ranges::find(tree.arguments, name.text, &parse::Name::text);
    if (found == tree.arguments.end())
      report::fail(Kind::unknown_variable, name.span,
                   fmt::format("`{}` is not an argument of the operator `{}`", name.text, tree.name.text),
                   "an operator's value is computed only from its arguments and numbers");
    return static_cast<std::size_t>(found - tree.arguments.begin());
  };
  Sum sum = sum_of(
      tree.value,
      [&](const Expression &leaf) {
        if (leaf.kind == Expression::Kind::Call)
          report::fail(Kind::unknown_operator, leaf.span,
                       fmt::format("`{}` is not a known operator", leaf.name.text),
                       "define operators before they are used; their values can't contain tensors");
        Access argument;
        argument.tensor = leaf.name.text;
        number_of_argument(leaf.name);
        return Value{argument};
      },
      {}, known);
  const Value made = value::reduced(Operator::Add, std::move(sum));
  return value::map_leaves<value::Definition>(
      made, term::overloaded{
                [&](const Access &argument) {
                  return value::Definition{value::Argument{number_of_argument({argument.tensor, tree.span})}};
                },
                [&](const term::Term &) -> value::Definition {
                  report::require(false, "an operator has no coordinates");
                  return {};
                }});
}

void refuse_types(const value::Definition &tree, const OperatorTree &of) {
  const auto *made = std::get_if<value::Definition::Apply>(&tree.kind);
  if (!made) return;
  if (value::made_by_conversion(made->op))
    report::fail(
        Kind::unknown_operator, of.value.span,
        fmt::format(
            "`{}` converts a value in `{}`, but an operator takes the type of the expression that uses it",
            value::name_in_call(made->op), of.name.text),
        "convert its arguments where it is used");
  if (made->op == Operator::Complex)
    report::fail(Kind::unknown_operator, of.value.span,
                 fmt::format("there is an imaginary number in `{}`, but an operator takes the type of the "
                             "expression that uses it",
                             of.name.text),
                 "make it an argument");
  for (const value::Definition &part : made->arguments)
    refuse_types(part, of);
}

void need_two_arguments(const OperatorTree &tree, const LawTree &law) {
  if (tree.arguments.size() == 2 || law.kind == LawTree::Kind::On) return;
  report::fail(Kind::unknown_operator, law.span,
               fmt::format("`{}` is a law of operators of two arguments, but `{}` has {}", law.span.text(),
                           tree.name.text, tree.arguments.size()));
}

Operator operator_of(const OperatorTree &tree, const Operators &known) {
  value::OwnOperator made;
  made.name = tree.name.text;
  for (const parse::Name &argument : tree.arguments) {
    check_number_name(argument, "argument");
    if (std::ranges::find(made.arguments, argument.text) != made.arguments.end())
      report::fail(Kind::duplicate_name, argument.span,
                   fmt::format("`{}` has two arguments `{}`", tree.name.text, argument.text));
    made.arguments.push_back(argument.text);
  }
  made.definition = definition_of(tree, known);
  refuse_types(made.definition, tree);
  for (const LawTree &law : tree.laws) {
    need_two_arguments(tree, law);
    switch (law.kind) {
    case LawTree::Kind::Associative: made.laws.is_associative = true; break;
    case LawTree::Kind::Commutative: made.laws.is_commutative = true; break;
    case LawTree::Kind::Idempotent: made.laws.is_idempotent = true; break;
    case LawTree::Kind::Identity: made.laws.identity = law.number; break;
    case LawTree::Kind::Absorbs: made.absorbing = law.number; break;
    case LawTree::Kind::On: made.least = law.number, made.greatest = law.high; break;
    case LawTree::Kind::DistributesOver: {
      const std::optional<Operator> over = known.named(law.over.text);
      if (!over || value::laws_of(*over).least != 2)
        report::fail(Kind::unknown_operator, law.over.span,
                     fmt::format("`{}` is not a known operator of two arguments", law.over.text),
                     "docs/operators.md lists the operators");
      made.distributes_over.push_back(*over);
      break;
    }
    }
  }
  return value::own_operator(std::move(made));
}

} // namespace

Operators::Operators(const std::vector<OperatorTree> &trees) {
  for (const OperatorTree &tree : trees) {
    if (named(tree.name.text) || is_number_name(tree.name.text) || is_argmin(tree.name.text))
      report::fail(Kind::duplicate_name, tree.name.span,
                   fmt::format("`{}` already has another meaning", tree.name.text), "choose another name");
    const Operator made = operator_of(tree, *this);
    check_laws(tree, made, value::Type::Float64);
    own_.push_back(made);
  }
}

std::vector<std::string> Operators::names(bool reduces) const {
  std::vector<std::string> names;
  for (const Operator &own : own_)
    if (!reduces || value::is_reduction(own)) names.push_back(own.own()->name);
  for (const value::Laws &laws : value::all_operators)
    if (value::operator_called(laws.name) && (!reduces || laws.identity)) names.emplace_back(laws.name);
  return names;
}

std::optional<Operator> Operators::called(std::string_view name) const {
  for (const Operator &op : own_)
    if (op.own()->name == name) return op;
  return value::operator_called(name);
}

std::optional<Operator> Operators::named(std::string_view name) const {
  if (name == "+" || name == "plus") return Operator::Add;
  if (name == "*" || name == "times") return Operator::Multiply;
  return called(name);
}

void check_laws_in_types(const Program &program, const std::map<std::string, value::Type> &types) {
  const auto check = [&](const Operator &op, value::Type type) {
    if (!value::is_integer(type)) return;
    std::vector<Operator> used;
    value::collect_own(op, used);
    for (const Operator &each : used)
      for (const OperatorTree &tree : program.operators)
        if (tree.name.text == each.own()->name) check_laws(tree, each, type);
  };
  for (const Statement &statement : program.statements) {
    std::vector<Operator> used;
    value::collect_own_in(statement.value, used);
    if (statement.product) value::collect_own(*statement.product, used);
    for (const Operator &op : used)
      check(op, value::promoted(statement.type));
    check(statement.by, type_of(types, statement.target.tensor));
  }
}

} // namespace unravel::compute
