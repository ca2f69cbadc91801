// Conditions on numbers: as values, 1 or 0; what they choose between; statements under them.
#include "cfront/translate.h"
#include "parse/build.h"
#include "parse/parse.h"

#include <algorithm>
#include <array>

namespace unravel::cfront {

using parse::AssignmentTree;
using parse::called;
using parse::Expression;
using parse::StatementTree;

namespace {

bool is_number(const Node &node) {
  return cfront::is_number(node.type);
}

bool is_arithmetic(const Node &node) {
  return node.kind == UnravelBinary && !node.is_unsigned &&
         (node.text == "+" || node.text == "-" || node.text == "*");
}

Expression number(std::int64_t value, const text::Span &span) {
  Expression made;
  made.integer = value;
  made.span = span;
  return made;
}

Expression compared(std::vector<Expression> both, Expression::Comparison comparison, const text::Span &span) {
  Expression made;
  made.kind = Expression::Kind::Compare;
  made.span = span;
  made.children = std::move(both);
  made.comparisons = {comparison};
  return made;
}

Expression::Comparison comparison_of(const Node &node) {
  using Comparison = Expression::Comparison;
  return node.text == "<"    ? Comparison::Less
         : node.text == "<=" ? Comparison::AtMost
         : node.text == ">"  ? Comparison::Greater
         : node.text == ">=" ? Comparison::AtLeast
         : node.text == "==" ? Comparison::Equal
                             : Comparison::NotEqual;
}

/// `then` where the test holds, else `otherwise`: where the test compares just these, the lesser or the
/// greater one. `type`: of real numbers, in which the test is computed, where it may stand among complex
/// ones; else null.
Expression chosen(const Expression &test, Expression then, Expression otherwise, const text::Span &span,
                  const char *type) {
  using Comparison = Expression::Comparison;
  const char *lesser_or_greater = nullptr;
  if (test.kind == Expression::Kind::Compare && !type) {
    const Comparison by = test.comparisons[0];
    const bool is_less = by == Comparison::Less || by == Comparison::AtMost;
    const bool is_greater = by == Comparison::Greater || by == Comparison::AtLeast;
    const std::string left = parse::to_text(test.children[0]), right = parse::to_text(test.children[1]);
    const std::string first = parse::to_text(then), second = parse::to_text(otherwise);
    if (is_less || is_greater) {
      if (left == first && right == second) lesser_or_greater = is_less ? "min" : "max";
      if (left == second && right == first) lesser_or_greater = is_less ? "max" : "min";
    }
  }
  if (lesser_or_greater) return called(lesser_or_greater, {std::move(then), std::move(otherwise)}, span);
  return called("select", {type ? called(type, {test}, span) : test, std::move(then), std::move(otherwise)},
                span);
}

/// The names of what the statements assign to.
void collect_targets(const std::vector<StatementTree> &body, std::set<std::string> &names) {
  for (const StatementTree &statement : body) {
    if (statement.kind == StatementTree::Kind::Assign) names.insert(statement.assignment.target.name.text);
    collect_targets(statement.body, names);
  }
}

bool reads_one_of(const Expression &value, const std::set<std::string> &names) {
  return names.contains(value.name.text) || std::ranges::any_of(value.children, [&](const Expression &child) {
           return reads_one_of(child, names);
         });
}

/// Assignments that change nothing where the test doesn't hold.
void guard(std::vector<StatementTree> &body, const Expression &test, const char *type) {
  using Operator = AssignmentTree::Operator;
  for (StatementTree &statement : body) {
    guard(statement.body, test, type);
    if (statement.kind != StatementTree::Kind::Assign) continue;
    AssignmentTree &assignment = statement.assignment;
    const text::Span span = assignment.value.span;
    const bool is_sum = assignment.op == Operator::Add || assignment.op == Operator::Subtract;
    Expression otherwise = assignment.op == Operator::Set ? assignment.target : number(is_sum ? 0 : 1, span);
    assignment.value = chosen(test, std::move(assignment.value), std::move(otherwise), span, type);
  }
}

bool joins_conditions(const Node &node) {
  return node.kind == UnravelBinary && node.text == "&&";
}

/// The conditions that `&&` joins: [0] those about integers, [1] those about numbers.
std::array<std::vector<Node>, 2> joined_conditions(const Node &condition) {
  if (!joins_conditions(condition)) {
    std::array<std::vector<Node>, 2> one;
    one[is_about_numbers(condition) ? 1 : 0].push_back(condition);
    return one;
  }
  std::array<std::vector<Node>, 2> all = joined_conditions(condition.children[0]);
  const std::array<std::vector<Node>, 2> right = joined_conditions(condition.children[1]);
  for (std::size_t k : {0, 1})
    all[k].insert(all[k].end(), right[k].begin(), right[k].end());
  return all;
}

/// `i < j && x[i] > 0`, in any order.
bool is_about_both(const Node &condition) {
  const std::array<std::vector<Node>, 2> all = joined_conditions(condition);
  return !all[0].empty() && !all[1].empty();
}

/// The conditions joined by the `&&` of a larger one.
Node all_of(std::vector<Node> conditions, const Node &joining) {
  Node all = std::move(conditions.front());
  for (std::size_t k = 1; k < conditions.size(); ++k) {
    Node both = joining;
    both.children = {std::move(all), std::move(conditions[k])};
    all = std::move(both);
  }
  return all;
}

/// `i < j ? a : b`
bool is_choice(const Node &value) {
  return value.kind == UnravelConditional && !is_about_numbers(value.children[0]);
}

bool begins_with_choice(const Node &variable) {
  return is_number(variable) && !variable.children.empty() && is_choice(variable.children[0]);
}

/// The variable's first value as an assignment.
Node first_value(const Node &variable) {
  Node target = variable;
  target.kind = UnravelReference;
  target.children.clear();
  target.span.end = target.span.begin + variable.text.size();
  Node assigned = variable;
  assigned.kind = UnravelAssign;
  assigned.text = std::string("=");
  assigned.children = {std::move(target), variable.children[0]};
  return assigned;
}

/// x = i < j ? a : b; is if (i < j) x = a; else x = b;
Node either(const Node &assignment) {
  const Node &choice = assignment.children[1];
  Node branches = assignment;
  branches.kind = UnravelIf;
  branches.head = assignment.span;
  branches.children = {choice.children[0]};
  for (std::size_t k : {1, 2}) {
    Node assigned = assignment;
    assigned.children[1] = choice.children[k];
    branches.children.push_back(std::move(assigned));
  }
  return branches;
}

/// if (i < j && x[i] > 0) is if (i < j) if (x[i] > 0)
Node one_in_the_other(Node branch) {
  const Node condition = branch.children[0];
  auto [of_integers, of_numbers] = joined_conditions(condition);
  Node outside = branch;
  outside.children = {all_of(std::move(of_integers), condition), std::move(branch), Node()};
  outside.children[1].children[0] = all_of(std::move(of_numbers), condition);
  return outside;
}

} // namespace

bool is_about_numbers(const Node &node) {
  return is_number(node) || std::ranges::any_of(node.children, is_about_numbers);
}

void put_into_branches(Node &statement) {
  switch (statement.kind) {
  case UnravelDeclare: {
    if (std::ranges::none_of(statement.children, begins_with_choice)) return;
    Node apart = statement; // one variable after the other
    apart.kind = UnravelBlock;
    apart.children.clear();
    for (Node &variable : statement.children) {
      const bool is_chosen = begins_with_choice(variable);
      Node first = is_chosen ? first_value(variable) : Node();
      if (is_chosen) variable.children[0] = Node();
      Node one = statement;
      one.children = {std::move(variable)};
      apart.children.push_back(std::move(one));
      if (is_chosen) apart.children.push_back(std::move(first));
    }
    statement = std::move(apart);
    break;
  }
  case UnravelAssign:
    if (!is_choice(statement.children[1]) || statement.children[0].type == UnravelIntegral) return;
    statement = either(statement);
    break;
  case UnravelIf:
    if (is_about_both(statement.children[0]) && !statement.children[2].is_there())
      statement = one_in_the_other(std::move(statement));
    break;
  case UnravelFor: return put_into_branches(statement.children[3]);
  case UnravelBlock: break;
  case UnravelBinary:
    if (statement.text != ",") return;
    break;
  default: return;
  }
  for (std::size_t k = statement.kind == UnravelIf ? 1 : 0; k < statement.children.size(); ++k)
    put_into_branches(statement.children[k]);
}

Expression Translator::truth(const Node &node) {
  if (is_number(node)) {
    Expression tested = value(node);
    return compared({std::move(tested), number(0, node.span)}, Expression::Comparison::NotEqual, node.span);
  }
  if (node.kind == UnravelInteger) return number(node.integer != 0, node.span);
  if (node.kind == UnravelCast && is_number(node.children[0]) && node.bits != 1) refuse_expression(node);
  if (node.kind == UnravelCast) return truth(node.children[0]);
  if (node.kind == UnravelUnary && node.text == "!")
    return called("not", {truth(node.children[0])}, node.span);
  if (is_logical(node)) {
    Expression left = truth(node.children[0]);
    return called(node.text == "&&" ? "and" : "or", {std::move(left), truth(node.children[1])}, node.span);
  }
  if (is_comparison(node) && is_about_numbers(node))
    return compared(operands(node), comparison_of(node), node.span);
  if (is_comparison(node))
    refuse(node.span, quoted(node) + " compares integers, in a condition on floating-point numbers",
           "test it in an `if` of its own");
  refuse(node.span, quoted(node) + " is an integer used as a floating-point number",
         "only constants may be; make it a parameter of type `double`");
}

Expression Translator::number_of_truths(const Node &node) {
  if (node.kind == UnravelCast && !is_number(node.children[0])) {
    const Node &inner = node.children[0];
    const bool is_truth = // 0 or 1, in any type
        is_comparison(inner) || is_logical(inner) || (inner.kind == UnravelUnary && inner.text == "!");
    const bool is_same = is_truth || (inner.kind == UnravelInteger && inner.integer >= 0 && node.bits > 1);
    if (!is_same && !is_about_numbers(inner)) return integer_as_number(node);
    if (!is_same && (node.is_unsigned || node.bits < 32)) refuse_expression(node);
    return number_of_truths(inner);
  }
  if (node.kind == UnravelInteger) return number(node.integer, node.span);
  if (!is_about_numbers(node) && !is_comparison(node) && !is_logical(node)) return integer_as_number(node);
  if (node.kind == UnravelConditional && is_about_numbers(node.children[0])) {
    const Expression test = truth(node.children[0]);
    Expression then = number_of_truths(node.children[1]);
    return chosen(test, std::move(then), number_of_truths(node.children[2]), node.span, nullptr);
  }
  if (!is_arithmetic(node)) return truth(node);
  Expression made;
  made.kind = node.text == "+"   ? Expression::Kind::Add
              : node.text == "-" ? Expression::Kind::Subtract
                                 : Expression::Kind::Multiply;
  made.span = node.span;
  for (const Node &child : node.children)
    made.children.push_back(number_of_truths(child));
  return made;
}

Expression Translator::choice_of_numbers(const Node &node) {
  if (!is_about_numbers(node.children[0])) refuse_expression(node);
  const Expression test = truth(node.children[0]);
  const bool is_among_complex = is_complex(node.type);
  const auto part = [&](std::size_t k) {
    return is_among_complex ? among_complex(node.children[k]) : value(node.children[k]);
  };
  Expression then = part(1);
  return chosen(test, std::move(then), part(2), node.span, is_among_complex ? type_of_reals() : nullptr);
}

void Translator::branch_on_numbers(const Node &node, Body &body) {
  const Node &condition = node.children[0];
  if (is_about_both(condition))
    refuse(condition.span,
           quoted(condition) + " compares floating-point numbers and integers, and there is an `else`",
           "test one of them in an `if` of its own");
  Expression test = truth(condition);
  const auto integers = integers_;
  Body sides[2];
  std::set<std::string> assigned;
  for (std::size_t k : {0, 1}) {
    if (node.children[k + 1].is_there()) sides[k] = inner_body(node.children[k + 1], node.head);
    integers_ = integers;
    collect_targets(sides[k], assigned);
  }
  const bool is_one_assignment =
      sides[1].empty() && sides[0].size() == 1 && sides[0][0].kind == StatementTree::Kind::Assign;
  if (reads_one_of(test, assigned) && !is_one_assignment) {
    StatementTree kept;
    kept.kind = StatementTree::Kind::Local;
    kept.span = kept.assignment.span = condition.span;
    kept.assignment.value = std::move(test);
    test = Expression();
    test.kind = Expression::Kind::Name;
    test.name = {fresh_name("test", false), condition.span};
    test.span = condition.span;
    kept.assignment.target = test;
    body.push_back(std::move(kept));
  }
  const char *type = has_complex_ ? type_of_reals() : nullptr;
  guard(sides[0], test, type);
  guard(sides[1], called("not", {test}, condition.span), type);
  for (Body &side : sides)
    body.insert(body.end(), std::make_move_iterator(side.begin()), std::make_move_iterator(side.end()));
  std::set<int> changed;
  collect_assigned(node, changed);
  forget(changed, "has different values in the two branches of the `if` before");
}

} // namespace unravel::cfront
