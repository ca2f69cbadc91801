#include "compute/taken_names.h"

namespace unravel::compute {

using parse::Expression;
using parse::StatementTree;

TakenNames::TakenNames(const parse::ProgramTree &tree) {
  take(tree.operators);
  for (const parse::TensorTree &tensor : tree.tensors) {
    taken_.insert(tensor.name.text);
    for (const Expression &extent : tensor.extents)
      take(extent);
  }
  for (const parse::SizeTree &size : tree.sizes)
    taken_.insert(size.name.text);
  for (const StatementTree &statement : tree.body)
    take(statement);
}

TakenNames::TakenNames(const parse::AssignmentTree &tree) {
  take(tree.operators);
  take(tree);
}

std::string TakenNames::fresh(const std::string &wanted) {
  std::string name = wanted;
  for (int number = 2; !taken_.insert(name).second; ++number)
    name = wanted + std::to_string(number);
  return name;
}

void TakenNames::take(const std::vector<parse::OperatorTree> &operators) {
  for (const parse::OperatorTree &each : operators)
    taken_.insert(each.name.text);
}

void TakenNames::take(const Expression &written) {
  taken_.insert(written.name.text);
  for (const Expression &child : written.children)
    take(child);
}

void TakenNames::take(const parse::AssignmentTree &assignment) {
  take(assignment.target);
  take(assignment.value);
  if (assignment.mask) take(*assignment.mask);
}

void TakenNames::take(const StatementTree &statement) {
  taken_.insert(statement.variable.text);
  take(statement.assignment);
  take(statement.condition);
  for (const std::optional<Expression> &part : {statement.low, statement.high, statement.until})
    if (part) take(*part);
  for (const std::optional<Expression> &extent : statement.extents)
    if (extent) take(*extent);
  for (const StatementTree &inside : statement.body)
    take(inside);
}

} // namespace unravel::compute
