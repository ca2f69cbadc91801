#include "compute/build_tree.h"

#include "compute/mask.h"

#include <cmath>
#include <utility>

namespace unravel::compute {

using parse::AssignmentTree;
using parse::Expression;
using parse::Name;
using parse::StatementTree;
using Operator = parse::AssignmentTree::Operator;

Expression number_expression(double value, const text::Span &span) {
  Expression number;
  number.span = span;
  const bool is_integer = std::abs(value) < 1e15 && std::trunc(value) == value;
  number.kind = is_integer ? Expression::Kind::Integer : Expression::Kind::Decimal;
  number.integer = is_integer ? static_cast<std::int64_t>(value) : 0;
  number.decimal = value;
  return number;
}

Expression access_expression(const Name &tensor, const std::vector<Name> &indices) {
  Expression access;
  access.kind = indices.empty() ? Expression::Kind::Name : Expression::Kind::Call;
  access.name = tensor;
  access.span = tensor.span;
  for (const Name &index : indices) {
    Expression subscript;
    subscript.kind = Expression::Kind::Name;
    subscript.name = index;
    subscript.span = index.span;
    access.children.push_back(std::move(subscript));
  }
  return access;
}

Expression product_expression(std::vector<Expression> factors) {
  if (factors.empty()) return number_expression(1, {});
  Expression product = std::move(factors.front());
  for (std::size_t k = 1; k < factors.size(); ++k) {
    Expression times;
    times.kind = Expression::Kind::Multiply;
    times.span = product.span;
    times.children = {std::move(product), std::move(factors[k])};
    product = std::move(times);
  }
  return product;
}

StatementTree assign(StatementTree::Kind kind, AssignmentTree::Operator op, Expression target,
                     Expression value) {
  StatementTree statement;
  statement.kind = kind;
  statement.assignment.op = op;
  statement.assignment.span = statement.span = target.span;
  statement.assignment.target = std::move(target);
  statement.assignment.value = std::move(value);
  statement.extents.resize(statement.assignment.target.children.size());
  return statement;
}

std::vector<StatementTree> in_loops(const std::vector<Name> &indices, std::vector<StatementTree> body) {
  for (std::size_t k = indices.size(); k-- > 0;) {
    StatementTree loop;
    loop.kind = StatementTree::Kind::For;
    loop.variable = indices[k];
    loop.span = indices[k].span;
    loop.body = std::move(body);
    body.clear();
    body.push_back(std::move(loop));
  }
  return body;
}

Expression expression_of(const Access &access) {
  std::vector<Name> indices;
  for (const Subscript &subscript : access.subscripts)
    indices.push_back({subscript.index, access.span});
  return access_expression({access.tensor, access.span}, indices);
}

StatementTree assigned(const Statement &of, Expression target, Expression value, bool reduces) {
  const bool is_sum = of.by == value::Operator::Add;
  StatementTree made = assign(StatementTree::Kind::Assign,
                              !reduces ? Operator::Set
                              : is_sum ? Operator::Add
                                       : Operator::Reduce,
                              std::move(target), std::move(value));
  made.assignment.reduction = {value::name_in_semiring(of.by), of.span};
  if (of.product)
    made.assignment.semiring = parse::SemiringTree{
        {value::name_in_semiring(of.by), of.span}, {value::name_in_semiring(*of.product), of.span}, of.span};
  if (reduces) made.assignment.mask = mask_expression(of);
  return made;
}

} // namespace unravel::compute
