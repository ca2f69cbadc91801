#include "compute/result_local.h"

#include "compute/build_tree.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace unravel::compute {

using parse::Expression;
using parse::Name;
using parse::StatementTree;
using Operator = parse::AssignmentTree::Operator;

namespace {

Expression expression_of(const Value &value, const text::Span &span);

Expression chain(Expression::Kind kind, const std::vector<Value> &parts, const text::Span &span) {
  Expression made = expression_of(parts.front(), span);
  for (std::size_t k = 1; k < parts.size(); ++k) {
    Expression next;
    next.kind = kind;
    next.span = span;
    next.children = {std::move(made), expression_of(parts[k], span)};
    made = std::move(next);
  }
  return made;
}

Expression expression_of(const Access &access) {
  std::vector<Name> indices;
  for (const Subscript &subscript : access.subscripts)
    indices.push_back({subscript.index, access.span});
  return access_expression({access.tensor, access.span}, indices);
}

Expression expression_of(const Value &value, const text::Span &span) {
  if (const double *number = value::number_of(value)) return number_expression(*number, span);
  if (const auto *access = std::get_if<Access>(&value.kind)) return expression_of(*access);
  const auto &made = std::get<Value::Apply>(value.kind);
  switch (made.op) {
  case value::Operator::Add: return chain(Expression::Kind::Add, made.arguments, span);
  case value::Operator::Multiply: return chain(Expression::Kind::Multiply, made.arguments, span);
  case value::Operator::Divide: return chain(Expression::Kind::Divide, made.arguments, span);
  case value::Operator::Negate: {
    Expression negated;
    negated.kind = Expression::Kind::Negate;
    negated.span = span;
    negated.children = {expression_of(made.arguments.front(), span)};
    return negated;
  }
  case value::Operator::Stored: break;
  }
  report::require(false, "a line has no operator of maps");
  return {};
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

} // namespace

bool may_have_result_local(const Program &line) {
  std::set<std::string> of_result;
  for (const Subscript &subscript : line.statements.front().target.subscripts)
    if (!of_result.insert(subscript.index).second) return false;
  return std::ranges::all_of(line.statements, [](const Statement &statement) {
    bool is_plain = statement.is_free;
    each_access(statement, [&](const Access &access) {
      is_plain = is_plain && std::ranges::all_of(access.subscripts, [](const Subscript &subscript) {
                   return !subscript.index.empty() && subscript.shift == 0;
                 });
    });
    return is_plain;
  });
}

parse::ProgramTree with_result_local(const Program &line, const ResultLocal &local) {
  const Statement &first = line.statements.front();
  const text::Span &span = first.target.span;
  const Expression element = access_expression({local.tensor, span}, names(local.modes, span));
  std::vector<StatementTree> body{
      assign(StatementTree::Kind::Local, Operator::Set, element, number_expression(0, span))};
  for (const Statement &term : line.statements) {
    std::vector<std::string> loops; // those that only the operands have outside, as the line writes them
    for (const std::string &index : term.indices)
      if (std::ranges::find(local.around, index) == local.around.end() &&
          std::ranges::find(local.modes, index) == local.modes.end())
        loops.push_back(index);
    loops.insert(loops.end(), local.modes.begin(), local.modes.end());
    append(body, in_loops(names(loops, term.span), {assign(StatementTree::Kind::Assign, Operator::Add,
                                                           element, expression_of(term.value, term.span))}));
  }
  append(body, in_loops(names(local.modes, span), {assign(StatementTree::Kind::Assign, Operator::Set,
                                                          expression_of(first.target), element)}));
  parse::ProgramTree program;
  program.span = first.span;
  program.body = in_loops(names(local.around, span), std::move(body));
  return program;
}

} // namespace unravel::compute
