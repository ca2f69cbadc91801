#include "compute/precompute.h"

#include "compute/build_tree.h"
#include "compute/in_parts.h"
#include "compute/value.h"
#include "parse/parse.h"
#include "report/diagnostic.h"
#include "text/contains.h"

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
using AssignOp = parse::AssignmentTree::Operator;

namespace {

constexpr const char *program_hint = "write a program: `for i { let w(j) = 0; ... }`";

/// The names in the subscripts of tensors, as they occur, behind those that are known.
void collect_indices(const Expression &expression, const Operators &operators, std::vector<Name> &indices,
                     bool in_subscript = false) {
  if (in_subscript && expression.kind == Expression::Kind::Name &&
      !contains(indices, expression.name.text, &Name::text))
    indices.push_back(expression.name);
  const bool is_access = expression.kind == Expression::Kind::Call && !operators.called(expression.name.text);
  for (const Expression &child : expression.children)
    collect_indices(child, operators, indices, in_subscript || is_access);
}

/// Those of the indices that occur in the expression, also as numbers, behind those that are known.
void collect_those_of(const std::vector<Name> &all, const Expression &expression,
                      std::vector<Name> &indices) {
  const std::string &name = expression.name.text;
  if (expression.kind == Expression::Kind::Name && contains(all, name, &Name::text) &&
      !contains(indices, name, &Name::text))
    indices.push_back(expression.name);
  for (const Expression &child : expression.children)
    collect_those_of(all, child, indices);
}

bool has_name(const Expression &expression, const std::string &name) {
  return expression.name.text == name ||
         std::ranges::any_of(expression.children, [&](auto &child) { return has_name(child, name); });
}

std::vector<Name> without(std::vector<Name> names, const std::vector<Name> &others) {
  std::erase_if(names, [&](const Name &name) { return contains(others, name.text, &Name::text); });
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
        program_hint);
  }
}

/// What is reduced first, and multiplied with the rest then, must be what reducing the products makes.
void check_laws(const AssignmentTree &assignment, const Algebra &algebra, bool has_rest, bool is_whole) {
  const value::Laws &laws = value::laws_of(algebra.multiply);
  const bool may_change_places = laws.is_associative && laws.is_commutative;
  const double nothing = value::identity_of(algebra.by);
  const auto is_taken_out = [&](std::size_t argument) {
    return value::distributes(algebra.multiply, argument, algebra.by) &&
           value::absorbed(algebra.multiply, argument, nothing) == nothing;
  };
  if (may_change_places ? !has_rest || (is_taken_out(0) && is_taken_out(1)) : is_whole) return;
  report::fail(Kind::not_supported, assignment.span,
               may_change_places
                   ? fmt::format("a workspace needs that `{}` distributes over `{}`, by which is reduced",
                                 value::name_in_semiring(algebra.multiply),
                                 value::name_in_semiring(algebra.by))
                   : fmt::format("the factors of `{}` can't change places, as a workspace asks for",
                                 value::name_in_semiring(algebra.multiply)),
               program_hint);
}

} // namespace

parse::ProgramTree with_workspace(const AssignmentTree &assignment, const Workspace &workspace,
                                  std::optional<value::Type> factors_in) {
  if (assignment.mask)
    report::fail(Kind::not_supported, assignment.mask->span, "a workspace of an assignment with a mask",
                 program_hint);
  const Operators operators(assignment.operators);
  Algebra algebra = algebra_of(assignment, operators);
  if (assignment.op == AssignmentTree::Operator::Multiply) algebra.by = value::Operator::Multiply;
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
  const bool is_whole = parse::to_text(workspace.value) == parse::to_text(assignment.value);
  check_laws(assignment, algebra, !rest.empty(), is_whole);
  if (has_name(assignment.value, assignment.target.name.text))
    report::fail(Kind::result_is_operand, assignment.span,
                 fmt::format("the result `{}` is also an operand", assignment.target.name.text),
                 program_hint);
  if (has_name(assignment.value, workspace.tensor.text) || has_name(assignment.target, workspace.tensor.text))
    report::fail(Kind::duplicate_name, workspace.tensor.span,
                 fmt::format("`{}` is a name in the assignment", workspace.tensor.text),
                 "choose another name for the workspace");

  std::vector<Name> of_result, all, inside;
  collect_indices(assignment.target, operators, of_result);
  all = of_result;
  collect_indices(assignment.value, operators, all);
  for (const Expression &factor : taken)
    collect_those_of(all, factor, inside);
  std::vector<Name> outside = of_result; // of the result, and what the workspace is multiplied with
  for (const Expression &factor : rest)
    collect_those_of(all, factor, outside);
  for (const Name &mode : workspace.modes)
    if (!contains(inside, mode.text, &Name::text) || !contains(outside, mode.text, &Name::text))
      report::fail(Kind::unknown_variable, mode.span,
                   contains(inside, mode.text, &Name::text)
                       ? fmt::format("only the workspace's factors have the index `{}`", mode.text)
                       : fmt::format("the workspace's factors have no index `{}`", mode.text),
                   "the modes are those indices of its factors that the result or other factors have too");
  const std::vector<Name> own = without(inside, workspace.modes);
  const std::vector<Name> summed = without(own, outside), around = without(own, summed);
  const std::vector<Name> behind = without(outside, around);

  Expression product = is_whole ? workspace.value : Expression();
  if (factors_in) taken.front() = converted_factor(std::move(taken.front()), *factors_in);
  if (factors_in || !is_whole) product = product_expression(std::move(taken));
  const Expression local = access_expression(workspace.tensor, workspace.modes);
  std::vector<Name> adding = summed;
  adding.insert(adding.end(), workspace.modes.begin(), workspace.modes.end());
  rest.insert(rest.begin(), local);
  // What is written once for each element is set; else all elements are, before.
  const bool sets = assignment.op == AssignOp::Set && without(outside, of_result).empty() &&
                    without(around, of_result).empty();
  std::vector<StatementTree> body;
  Statement reduced; // as the line is
  reduced.by = algebra.by;
  if (algebra.is_semiring) reduced.product = algebra.multiply;
  reduced.span = assignment.span;
  const Expression nothing = number_expression(identity_of(reduced), workspace.tensor.span);
  body.push_back(assign(StatementTree::Kind::Local, AssignOp::Set, local, nothing));
  append(body, in_loops(adding, {assigned(reduced, local, std::move(product), true)}));
  append(body, in_loops(behind,
                        {assigned(reduced, assignment.target, product_expression(std::move(rest)), !sets)}));
  parse::ProgramTree program;
  program.operators = assignment.operators;
  program.span = assignment.span;
  if (assignment.op == AssignOp::Set && !sets)
    append(program.body, in_loops(of_result, {assign(StatementTree::Kind::Assign, AssignOp::Set,
                                                     assignment.target, nothing)}));
  append(program.body, in_loops(around, std::move(body)));
  return program;
}

void check_types_of_workspace(const AssignmentTree &assignment, const Statement &line, const Program &made) {
  const bool has_rest = !std::holds_alternative<Access>(made.statements.back().value.kind);
  const auto product =
      has_rest ? std::optional(line.product.value_or(value::Operator::Multiply)) : std::nullopt;
  if (const std::string why = why_not_in_parts(line, product); !why.empty())
    report::fail(Kind::not_supported, assignment.span,
                 fmt::format("a workspace can't hold a part of `{}`: {}", assignment.value.span.text(), why),
                 "leave it out, or give the result the type that the value is computed in");
}

} // namespace unravel::compute
