#include "compute/precompute.h"

#include "compute/build_tree.h"
#include "parse/parse.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace unravel::compute {

using parse::AssignmentTree;
using parse::Expression;
using parse::Name;
using parse::StatementTree;
using report::Kind;
using Workspace = parse::ScheduleTree::Workspace;

namespace {

/// The names in subscripts, as they occur, behind those that are known.
void collect_indices(const Expression &expression, std::vector<Name> &indices, bool in_subscript = false) {
  if (in_subscript && expression.kind == Expression::Kind::Name && !contains(indices, expression.name.text))
    indices.push_back(expression.name);
  for (const Expression &child : expression.children)
    collect_indices(child, indices, in_subscript || expression.kind == Expression::Kind::Call);
}

std::vector<Name> indices_of(const std::vector<Expression> &expressions) {
  std::vector<Name> indices;
  for (const Expression &expression : expressions)
    collect_indices(expression, indices);
  return indices;
}

std::vector<Name> without(std::vector<Name> names, const std::vector<Name> &others) {
  std::erase_if(names, [&](const Name &name) { return contains(others, name.text); });
  return names;
}

/// The factors of a product.
void collect_factors(const Expression &value, std::vector<Expression> &factors) {
  switch (value.kind) {
  case Expression::Kind::Multiply:
    for (const Expression &child : value.children)
      collect_factors(child, factors);
    return;
  case Expression::Kind::Name:
  case Expression::Kind::Call:
  case Expression::Kind::Integer:
  case Expression::Kind::Decimal:
  case Expression::Kind::Imaginary: factors.push_back(value); return;
  default:
    report::fail(
        Kind::not_supported, value.span,
        fmt::format("`{}` is not a product, so a workspace can't hold a part of it", value.span.text()),
        "write a program: `for i { let w(j) = 0; ... }`");
  }
}

} // namespace

parse::ProgramTree with_workspace(const AssignmentTree &assignment, const Workspace &workspace) {
  if (assignment.mask)
    report::fail(Kind::not_supported, assignment.mask->span, "a workspace of an assignment with a mask",
                 "write a program: `for i { let w(j) = 0; ... }`");
  std::vector<Expression> rest, wanted, taken;
  collect_factors(assignment.value, rest);
  collect_factors(workspace.value, wanted);
  for (const Expression &factor : wanted) {
    auto found = std::find_if(rest.begin(), rest.end(), [&](const Expression &each) {
      return parse::to_text(each) == parse::to_text(factor);
    });
    if (found == rest.end())
      report::fail(
          Kind::unknown_tensor, factor.span,
          fmt::format("`{}` is not a factor of `{}`", factor.span.text(), assignment.value.span.text()),
          "a workspace holds the product of some of the factors, written as in the expression");
    taken.push_back(std::move(*found));
    rest.erase(found);
  }
  for (const std::vector<Expression> *all : {&rest, &taken})
    for (const Expression &factor : *all)
      if (factor.name.text == workspace.tensor.text || assignment.target.name.text == workspace.tensor.text)
        report::fail(Kind::duplicate_name, workspace.tensor.span,
                     fmt::format("`{}` is a tensor of the assignment", workspace.tensor.text),
                     "choose another name for the workspace");

  const std::vector<Name> all = indices_of({assignment.target, assignment.value});
  const auto is_coordinate = [&](const Expression &factor) {
    return factor.kind == Expression::Kind::Name && contains(all, factor.name.text);
  };
  std::vector<Name> inside, outside; // of what the workspace holds, and what it is multiplied with
  for (const Expression &factor : taken)
    collect_indices(factor, inside, is_coordinate(factor));
  const std::vector<Name> of_result = indices_of({assignment.target});
  outside = of_result;
  for (const Expression &factor : rest)
    collect_indices(factor, outside, is_coordinate(factor));
  for (const Name &mode : workspace.modes)
    if (!contains(inside, mode.text) || !contains(outside, mode.text))
      report::fail(Kind::unknown_variable, mode.span,
                   contains(inside, mode.text)
                       ? fmt::format("only the workspace's factors have the index `{}`", mode.text)
                       : fmt::format("the workspace's factors have no index `{}`", mode.text),
                   "the modes are those indices of its factors that the result or other factors have too");
  const std::vector<Name> own = without(inside, workspace.modes);
  const std::vector<Name> summed = without(own, outside), around = without(own, summed);
  const std::vector<Name> behind = without(outside, around);

  const Expression local = access_expression(workspace.tensor, workspace.modes);
  using Operator = AssignmentTree::Operator;
  std::vector<Name> adding = summed;
  adding.insert(adding.end(), workspace.modes.begin(), workspace.modes.end());
  rest.insert(rest.begin(), local);
  // What is written once for each element is set; else all elements are, before.
  const bool sets = assignment.op == Operator::Set && without(outside, of_result).empty() &&
                    without(around, of_result).empty();
  std::vector<StatementTree> body;
  const auto add = [&](std::vector<StatementTree> more, std::vector<StatementTree> &to) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  const Expression zero = number_expression(0, workspace.tensor.span);
  body.push_back(assign(StatementTree::Kind::Local, Operator::Set, local, zero));
  add(in_loops(adding, {assign(StatementTree::Kind::Assign, Operator::Add, local,
                               product_expression(std::move(taken)))}),
      body);
  add(in_loops(behind, {assign(StatementTree::Kind::Assign, sets ? Operator::Set : Operator::Add,
                               assignment.target, product_expression(std::move(rest)))}),
      body);
  parse::ProgramTree program;
  program.operators = assignment.operators;
  program.span = assignment.span;
  if (assignment.op == Operator::Set && !sets)
    add(in_loops(of_result, {assign(StatementTree::Kind::Assign, Operator::Set, assignment.target, zero)}),
        program.body);
  add(in_loops(around, std::move(body)), program.body);
  return program;
}

} // namespace unravel::compute
