#include "compute/kept_result.h"

#include "compute/build_tree.h"
#include "compute/taken_names.h"

#include <algorithm>
#include <utility>

namespace unravel::compute {

using parse::AssignmentTree;
using parse::Expression;
using parse::Name;
using parse::ProgramTree;
using parse::StatementTree;
using AssignOp = AssignmentTree::Operator;

namespace {

bool mentions(const Expression &written, const std::string &tensor) {
  return written.name.text == tensor || std::ranges::any_of(written.children, [&](const Expression &child) {
           return mentions(child, tensor);
         });
}

bool reads(const AssignmentTree &assignment, const std::string &tensor) {
  const bool reads_old = assignment.op == AssignOp::Multiply || assignment.op == AssignOp::Divide;
  return mentions(assignment.value, tensor) || (reads_old && assignment.target.name.text == tensor);
}

/// Calls visit(statement, in_rounds) for each statement of the bodies.
template <class Visit>
void each_statement(const std::vector<StatementTree> &body, bool in_rounds, const Visit &visit) {
  for (const StatementTree &statement : body) {
    visit(statement, in_rounds);
    each_statement(statement.body, in_rounds || statement.kind == StatementTree::Kind::Repeat, visit);
  }
}

void rename(Expression &written, const std::string &tensor, const std::string &by) {
  if (written.name.text == tensor) written.name.text = by;
  for (Expression &child : written.children)
    rename(child, tensor, by);
}

void rename(std::vector<StatementTree> &body, const std::string &tensor, const std::string &by) {
  for (StatementTree &statement : body) {
    rename(statement.assignment.target, tensor, by);
    rename(statement.assignment.value, tensor, by);
    if (statement.assignment.mask) rename(*statement.assignment.mask, tensor, by);
    rename(statement.body, tensor, by);
  }
}

} // namespace

std::string why_kept(const ProgramTree &tree, const std::string &result) {
  bool is_set_again = false, is_read = false, is_mask = false;
  each_statement(tree.body, false, [&](const StatementTree &statement, bool in_rounds) {
    const AssignmentTree &assignment = statement.assignment;
    is_set_again = is_set_again || (in_rounds && assignment.target.name.text == result);
    is_read = is_read || reads(assignment, result);
    is_mask = is_mask || (assignment.mask && mentions(*assignment.mask, result));
  });
  return is_mask ? "" : is_set_again ? result + " is set in rounds" : is_read ? result + " is read" : "";
}

ProgramTree with_kept_result(ProgramTree tree, const std::string &result, const std::string &local,
                             std::size_t order, double nothing) {
  TakenNames taken(tree);
  std::vector<Name> modes;
  for (std::size_t mode = 0; mode < order; ++mode)
    modes.push_back({taken.fresh(std::string(1, static_cast<char>('i' + mode % 16))), tree.span});
  const auto element = [&](const std::string &tensor) {
    return access_expression({tensor, tree.span}, modes);
  };
  rename(tree.body, result, local);
  StatementTree begins = assign(StatementTree::Kind::Local, AssignOp::Set, element(local),
                                number_expression(nothing, tree.span));
  for (const parse::TensorTree &declared : tree.tensors)
    if (declared.name.text == result) begins.extents.assign(declared.extents.begin(), declared.extents.end());
  tree.body.insert(tree.body.begin(), std::move(begins));
  append(tree.body, in_loops(modes, {assign(StatementTree::Kind::Assign, AssignOp::Set, element(result),
                                            element(local))}));
  return tree;
}

} // namespace unravel::compute
