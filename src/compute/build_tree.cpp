#include "compute/build_tree.h"

#include "report/diagnostic.h"

#include "compute/in_parts.h"
#include "compute/mask.h"
#include "parse/parse.h"
#include "value/complex.h"
#include "value/typed.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace unravel::compute {

using parse::AssignmentTree;
using parse::Expression;
using parse::Name;
using parse::StatementTree;
using AssignOp = parse::AssignmentTree::Operator;

std::vector<std::string> indices_of(const Access &access) {
  std::vector<std::string> indices;
  for (const Subscript &subscript : access.subscripts)
    indices.push_back(subscript.index);
  return indices;
}

bool has_plain_subscripts(const Statement &statement) {
  bool all = true;
  each_access(statement, [&](const Access &access) {
    for (const Subscript &subscript : access.subscripts)
      all = all && subscript.shift == 0;
  });
  return all;
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

bool is_of_loop(const std::string &size) {
  return size.find('.') != std::string::npos;
}

bool is_declared(const std::vector<term::Term> &extents) {
  return std::ranges::none_of(extents, [](const term::Term &extent) {
    return std::ranges::any_of(term::variables_of(extent), is_of_loop);
  });
}

std::vector<parse::TensorTree> declared_tensors(const Program &program, const text::Span &span) {
  std::vector<parse::TensorTree> tensors;
  for (const auto &[tensor, extents] : program.extents) {
    if (!is_declared(extents) || extents.empty()) continue;
    parse::TensorTree made{{tensor, span}, {}};
    for (const term::Term &extent : extents)
      made.extents.push_back(term_expression(extent, span));
    tensors.push_back(std::move(made));
  }
  return tensors;
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

std::vector<Name> names(const std::vector<std::string> &texts, const text::Span &span) {
  std::vector<Name> made;
  for (const std::string &text : texts)
    made.push_back({text, span});
  return made;
}

void append(std::vector<StatementTree> &to, std::vector<StatementTree> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
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

StatementTree clearing(const Statement &statement) {
  return std::move(
      in_loops(names(indices_of(statement.target), statement.span),
               {assign(StatementTree::Kind::Assign, AssignOp::Set, expression_of(statement.target),
                       number_expression(identity_of(statement), statement.span))})
          .front());
}

parse::ProgramTree program_with(const Program &line, std::vector<StatementTree> body) {
  parse::ProgramTree program;
  program.operators = line.operators;
  program.span = line.statements.front().span;
  program.tensors = declared_tensors(line, program.span);
  program.body = std::move(body);
  return program;
}

Expression expression_of(const Access &access) {
  Expression made = access_expression({access.tensor, access.span}, {});
  if (!access.subscripts.empty()) made.kind = Expression::Kind::Call;
  for (const Subscript &subscript : access.subscripts)
    made.children.push_back(term_expression(subscript.value, access.span));
  return made;
}

Expression term_expression(const term::Term &term, const text::Span &span) {
  const auto joined = [&](Expression::Kind kind, Expression left, Expression right) {
    Expression made;
    made.kind = kind;
    made.span = span;
    made.children = {std::move(left), std::move(right)};
    return made;
  };
  const auto integer = [&](std::int64_t number) { // as it is: a double may not hold it
    Expression made = parse::over(Expression::Kind::Integer, {}, span);
    made.integer = number;
    return made;
  };
  const term::Linear form = term::linear_form(term);
  std::optional<Expression> sum;
  if (form.constant != 0 || form.parts.empty()) sum = integer(form.constant);
  for (const auto &[atom, coefficient] : form.parts) {
    const auto *variable = atom.as<term::Variable>();
    report::require(variable != nullptr, "coordinates in values are affine");
    Expression part = access_expression({variable->name, span}, {});
    if (coefficient != 1) part = joined(Expression::Kind::Multiply, integer(coefficient), std::move(part));
    sum = sum ? joined(Expression::Kind::Add, std::move(*sum), std::move(part)) : std::move(part);
  }
  return std::move(*sum);
}

namespace {

Expression chain(Expression::Kind kind, const std::vector<Value> &parts, const Statement &of) {
  Expression made = expression_of(parts.front(), of);
  for (std::size_t k = 1; k < parts.size(); ++k) {
    Expression next;
    next.kind = kind;
    next.span = of.span;
    next.children = {std::move(made), expression_of(parts[k], of)};
    made = std::move(next);
  }
  return made;
}

} // namespace

Expression expression_of(const Value &value, const Statement &of) {
  if (const double *number = value::number_of(value)) return number_expression(*number, of.span);
  if (const auto constant = value::constant_of(value))
    return parse::complex_expression(constant->real(), constant->imag(), of.span);
  if (const auto *access = std::get_if<Access>(&value.kind)) return expression_of(*access);
  if (const auto *term = std::get_if<term::Term>(&value.kind)) return term_expression(*term, of.span);
  const auto &made = std::get<Value::Apply>(value.kind);
  if (of.product == made.op) return chain(Expression::Kind::Multiply, made.arguments, of);
  if (made.op == value::Operator::Add && (!of.product || of.by == made.op))
    return chain(Expression::Kind::Add, made.arguments, of);
  const bool is_plain =
      !of.product || (*of.product == value::Operator::Multiply && of.by == value::Operator::Add);
  if (is_plain) switch (made.op.kind()) {
    case value::Operator::Multiply: return chain(Expression::Kind::Multiply, made.arguments, of);
    case value::Operator::Divide: return chain(Expression::Kind::Divide, made.arguments, of);
    case value::Operator::Negate: {
      Expression negated;
      negated.kind = Expression::Kind::Negate;
      negated.span = of.span;
      negated.children = {expression_of(made.arguments.front(), of)};
      return negated;
    }
    default: break;
    }
  if (!value::laws_of(made.op).symbol.empty()) {
    using Comparison = Expression::Comparison;
    Expression compared = chain(Expression::Kind::Compare, made.arguments, of);
    switch (made.op.kind()) {
    case value::Operator::Equal: compared.comparisons = {Comparison::Equal}; break;
    case value::Operator::NotEqual: compared.comparisons = {Comparison::NotEqual}; break;
    case value::Operator::Less: compared.comparisons = {Comparison::Less}; break;
    case value::Operator::AtMost: compared.comparisons = {Comparison::AtMost}; break;
    default: report::require(false, "such an operator isn't written in that semiring");
    }
    return compared;
  }
  Expression call;
  call.kind = Expression::Kind::Call;
  call.name = {value::name_in_call(made.op), of.span};
  call.span = of.span;
  for (const Value &argument : made.arguments)
    call.children.push_back(expression_of(argument, of));
  return call;
}

Expression expression_of_term(const Value &value, const Statement &of) {
  const auto of_leaf = [&](const Value &leaf) {
    const auto *access = std::get_if<Access>(&leaf.kind);
    const auto known = access ? of.types.find(access->tensor) : of.types.end();
    return known == of.types.end() ? std::nullopt : std::optional(known->second);
  };
  const std::optional<value::Type> own = value::computed_in(value, of_leaf);
  const auto *negative = value::arguments_of(value::Operator::Negate, value);
  const bool is_read = std::holds_alternative<Access>((negative ? negative->front() : value).kind);
  if (!own || value::promoted(*own) == value::promoted(of.type) ||
      (is_read && type_of(of.types, of.target.tensor) == of.type)) // which is converted as it is added
    return expression_of(value, of);
  const auto convert = [&](const auto &self, const Value &part) -> Value {
    if (const auto *made = std::get_if<Value::Apply>(&part.kind); made && value::made_by_conversion(made->op))
      return part;
    if (const auto type = of_leaf(part); type && *type != of.type)
      if (const value::Type wanted = type_of_part(of, *type); *type != wanted)
        return value::apply(value::conversion_to(wanted), std::vector{part});
    return value::map_parts(part, [&](const Value &argument) { return self(self, argument); });
  };
  return expression_of(convert(convert, value), of);
}

StatementTree assigned(const Statement &of, Expression target, Expression value, bool reduces) {
  const bool is_sum = of.by == value::Operator::Add;
  StatementTree made = assign(StatementTree::Kind::Assign,
                              !reduces ? AssignOp::Set
                              : is_sum ? AssignOp::Add
                                       : AssignOp::Reduce,
                              std::move(target), std::move(value));
  made.assignment.reduction = {value::name_in_semiring(of.by), of.span};
  if (of.product)
    made.assignment.semiring = parse::SemiringTree{
        {value::name_in_semiring(of.by), of.span}, {value::name_in_semiring(*of.product), of.span}, of.span};
  if (reduces) made.assignment.mask = mask_expression(of);
  return made;
}

std::optional<AssignmentTree> assignment_of(const Program &line) {
  const Statement &first = line.statements.front();
  const std::optional<Expression> mask = mask_expression(first);
  const auto text_of = [](const std::optional<Expression> &written) {
    return written ? parse::to_text(*written) : std::string();
  };
  std::vector<Value> terms;
  for (const Statement &term : line.statements) {
    if (text_of(mask_expression(term)) != text_of(mask)) return std::nullopt;
    terms.push_back(term.value);
  }
  AssignmentTree made = assigned(first, expression_of(first.target),
                                 chain(Expression::Kind::Add, terms, first), first.accumulate)
                            .assignment;
  made.operators = line.operators;
  made.mask = mask;
  return made;
}

} // namespace unravel::compute
