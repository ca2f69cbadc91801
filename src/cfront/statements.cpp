// Statements: blocks, declarations, assignments, branches.
#include "cfront/translate.h"
#include "report/diagnostic.h"

#include <algorithm>

namespace unravel::cfront {

using parse::AssignmentTree;
using parse::StatementTree;

namespace {

constexpr int body_limit = 64; // as in the text form of programs

void collect_names(const Node &node, std::set<std::string> &names) {
  if (node.kind == UnravelReference || node.kind == UnravelVariable || node.kind == UnravelParameter)
    names.insert(node.text);
  for (const Node &child : node.children)
    collect_names(child, names);
}

bool has_complex(const Node &node) {
  return is_complex(node.type) || std::ranges::any_of(node.children, has_complex);
}

} // namespace

Translator::Translator(const Node &function, const std::map<int, LinearShape> *shapes,
                       const std::set<int> &signed_sizes)
    : function_(function), shapes_(shapes), signed_sizes_(signed_sizes), has_complex_(has_complex(function)) {
}

Function Translator::translate() {
  collect_names(function_, written_);
  parameters();
  std::vector<const Node *> list = flattened(function_.children.back());
  if (!list.empty() && list.back()->kind == UnravelReturn) {
    // `return 0;` says nothing of the arrays.
    const Node &value = list.back()->children[0];
    if (!value.is_there() || value.kind == UnravelInteger) list.pop_back();
  }
  Function result;
  result.name = function_.text;
  result.tree.span = function_.span;
  statements(list, result.tree.body);
  bool assigns = false;
  for (const auto &[declaration, tensor] : tensors_)
    assigns = assigns || (tensor.assigned && !tensor.is_local);
  if (!assigns)
    refuse({function_.span.source, function_.span.begin, function_.children.back().span.begin},
           "`" + function_.text + "` assigns to none of its parameters",
           "results are arrays, or `*s` of a `double *s`");
  if (shapes_) result.tree.tensors = tensors();
  if (shapes_) result.tree.sizes = sizes(result.tree);
  result.is_float = numbers_ == UnravelFloat;
  return result;
}

std::string Translator::fresh_name(const std::string &wanted, bool is_loop) {
  auto is_free = [&](const std::string &name) {
    auto used = used_names_.find(name);
    return reserved_.count(name) == 0 && in_scope_.count(name) == 0 &&
           (used == used_names_.end() || (is_loop && used->second)); // each scalar has a name of its own
  };
  std::string name = wanted;
  for (int k = 2; !is_free(name) || (name != wanted && written_.count(name)); ++k)
    name = wanted + "_" + std::to_string(k);
  used_names_[name] = is_loop;
  in_scope_.insert(name);
  return name;
}

void Translator::statements(const std::vector<const Node *> &list, Body &body) {
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Node &node = *list[k];
    if (auto before = places_.before.find(&node); before != places_.before.end())
      for (int declaration : before->second) {
        const Pending &pending = pending_.at(declaration);
        parse::Expression zero;
        zero.span = pending.span;
        body.push_back(scalar(declaration, pending.name, pending.span, zero, pending.span));
      }
    try {
      if (node.kind == UnravelDeclare)
        declaration(node, {list.begin() + static_cast<std::ptrdiff_t>(k) + 1, list.end()}, body);
      else
        statement(node, body);
    } catch (const report::Error &error) {
      // What overflows doesn't know where it is written.
      const report::Diagnostic &found = error.diagnostic();
      if (found.kind != report::Kind::number_too_large || found.place.line != 0) throw;
      report::fail(found.kind, node.head, found.message, found.hint);
    }
  }
}

Translator::Body Translator::inner_body(const Node &inside, const text::Span &head) {
  if (++depth_ > body_limit)
    report::fail(report::Kind::expression_too_large, head,
                 "bodies nest deeper than " + std::to_string(body_limit) + " levels");
  auto scalars = scalars_;
  auto names = in_scope_;
  Body body;
  statements(flattened(inside), body);
  scalars_ = std::move(scalars);
  in_scope_ = std::move(names);
  --depth_;
  return body;
}

void Translator::statement(const Node &node, Body &body) {
  switch (node.kind) {
  case UnravelEmpty:
  case UnravelAbsent: return;
  case UnravelFor: return loop(node, body);
  case UnravelIf: return branch(node, body);
  case UnravelInteger:
  case UnravelDecimal:
  case UnravelReference:
  case UnravelSubscript:
  case UnravelDereference:
  case UnravelUnary:
  case UnravelBinary:
  case UnravelAssign:
  case UnravelConditional:
  case UnravelCast:
  case UnravelCall:
  case UnravelOtherExpression: return expression_statement(node, body);
  default: refuse_statement(node);
  }
}

void Translator::expression_statement(const Node &node, Body &body) {
  switch (node.kind) {
  case UnravelAssign: return assignment(node, body);
  case UnravelInteger:
  case UnravelReference: return; // no effect, as in (void)n;
  case UnravelCast:
    if (node.type == UnravelVoid) return expression_statement(node.children[0], body);
    break;
  case UnravelUnary:
    if (node.text == "++" || node.text == "--") return increment(node, body);
    break;
  case UnravelCall:
  case UnravelConditional:
  case UnravelTooDeep: refuse_expression(node);
  default: break;
  }
  refuse(node.span, quoted(node) + " has no effect", "statements are loops, `if` and assignments");
}

void Translator::set_integer(const Node &target, const std::string &op, const Integer &by,
                             const text::Span &span) {
  if (counted_.count(target.declaration))
    refuse(span, "`" + target.text + "` is changed inside the loop that counts it",
           "change a loop's variable only in the loop's head, by one");
  auto found = integers_.find(target.declaration);
  if (found == integers_.end())
    refuse(target.span, "`" + target.text + "` is defined outside of the function", "make it a parameter");
  if (op == "=") {
    found->second = {by, {}};
    return;
  }
  Integer before = integer(target);
  auto is_exact = [](const Integer &value) { return value.kind == Integer::Kind::Exact; };
  if ((op != "+=" && op != "-=" && op != "*=") || !is_exact(before) || !is_exact(by))
    refuse(span, "this change of the integer `" + target.text + "` is not supported",
           "write it as a sum: `k = i + 1`");
  Polynomial after = op == "+="   ? before.of[0] + by.of[0]
                     : op == "-=" ? before.of[0] - by.of[0]
                                  : before.of[0] * by.of[0];
  found->second = {Integer{Integer::Kind::Exact, {after}}, {}};
}

void Translator::assignment(const Node &node, Body &body) {
  const Node &target = node.children[0], &value_node = node.children[1];
  if (target.kind == UnravelReference && target.type == UnravelIntegral)
    return set_integer(target, node.text, integer(value_node), node.span);
  StatementTree statement;
  statement.span = statement.assignment.span = node.span;
  AssignmentTree &assignment = statement.assignment;
  using Operator = AssignmentTree::Operator;
  if (node.text == "+=")
    assignment.op = Operator::Add;
  else if (node.text == "-=")
    assignment.op = Operator::Subtract;
  else if (node.text == "*=")
    assignment.op = Operator::Multiply;
  else if (node.text == "/=")
    assignment.op = Operator::Divide;
  else if (node.text != "=")
    refuse(node.span, "the operator `" + node.text + "` is not supported",
           "assignments are `=`, `+=`, `-=`, `*=`, `/=`");
  if (target.kind == UnravelReference && places_.first.count(&node)) {
    parse::Expression first = is_complex(target.type) ? among_complex(value_node) : value(value_node);
    check_type(target);
    body.push_back(scalar(target.declaration, target.text, target.span, std::move(first), node.span));
    return;
  }
  if (target.kind == UnravelReference) {
    if (scalars_.count(target.declaration) == 0) {
      if (auto found = tensors_.find(target.declaration); found != tensors_.end() && found->second.is_scalar)
        refuse(target.span, "`" + target.text + "` is a parameter that is passed by value",
               "return results in arrays or through `double *s`; for other values use a local variable");
      if (target.is(UnravelIsNoParameter))
        refuse(target.span, "`" + target.text + "` is defined outside of the function",
               "make it a parameter");
      refuse(target.span, "`" + target.text + "` is a pointer, which can't be changed",
             "write all subscripts");
    }
    assignment.target = value(target);
  } else if (target.kind == UnravelSubscript || target.kind == UnravelDereference) {
    assignment.target = access(target, true);
  } else {
    refuse_expression(target);
  }
  assignment.value = is_complex(target.type) ? among_complex(value_node) : value(value_node);
  if (is_complex(value_node.type) && !is_complex(target.type))
    refuse(node.span,
           quoted(value_node) + " is complex, but " + quoted(target) + " is `" + target.type_name + "`",
           "say which part is meant: `creal(...)`, `cimag(...)`");
  if (node.is(UnravelComputesWider))
    refuse(node.span, "this is computed in `double` and rounded to `" + target.type_name + "`",
           "all numbers of a function have one type; constants of type `float` are written `0.5f`");
  body.push_back(std::move(statement));
}

void Translator::increment(const Node &node, Body &body) {
  const Node &target = node.children[0];
  const std::string op = node.text == "++" ? "+=" : "-=";
  if (target.kind == UnravelReference && target.type == UnravelIntegral)
    return set_integer(target, op, Integer{Integer::Kind::Exact, {Polynomial(1)}}, node.span);
  // x[i]++ is x[i] += 1.
  Node written = node;
  written.kind = UnravelAssign;
  written.text = op;
  Node one = target;
  one.kind = UnravelDecimal;
  one.decimal = 1;
  one.flags = UnravelIsFromInteger;
  one.span = node.span;
  one.children.clear();
  written.children.push_back(std::move(one));
  assignment(written, body);
}

StatementTree Translator::scalar(int declaration, const std::string &name, const text::Span &name_span,
                                 parse::Expression value, const text::Span &span) {
  StatementTree statement;
  statement.kind = StatementTree::Kind::Local;
  statement.span = statement.assignment.span = span;
  statement.assignment.value = std::move(value);
  std::string fresh = fresh_name(name, false);
  scalars_[declaration] = fresh;
  statement.assignment.target.kind = parse::Expression::Kind::Name;
  statement.assignment.target.name = {fresh, name_span};
  statement.assignment.target.span = name_span;
  return statement;
}

void Translator::declaration(const Node &node, const std::vector<const Node *> &following, Body &body) {
  for (const Node &variable : node.children) {
    const Node &initial = variable.children[0];
    text::Span name{variable.span.source, variable.span.begin, variable.span.begin + variable.text.size()};
    if (variable.is(UnravelIsStatic))
      refuse(variable.span, "`" + variable.text + "` keeps its value from call to call",
             "make it a parameter");
    if (variable.type == UnravelIntegral) {
      Known known{std::nullopt, "has no value yet"};
      if (initial.is_there()) known = {integer(initial), {}};
      integers_[variable.declaration] = std::move(known);
    } else if (variable.type == UnravelArray) {
      body.push_back(local_array(variable, name));
    } else if (variable.type == UnravelPointer) {
      refuse(variable.span, "`" + variable.text + "` is a local pointer",
             "make it a parameter, or an array: `double w[n];`");
    } else {
      if (!is_number(variable.type) || variable.type == UnravelOtherFloating)
        refuse(variable.span, "`" + variable.text + "` is of type `" + variable.type_name + "`",
               "variables are integers, `double` or `float`, or complex");
      if (initial.is_there()) {
        parse::Expression first = is_complex(variable.type) ? among_complex(initial) : value(initial);
        body.push_back(scalar(variable.declaration, variable.text, name, std::move(first), variable.span));
        continue;
      }
      if (const Node *read = read_too_early(following, variable.declaration))
        refuse(read->span, "`" + variable.text + "` may be read here before it has a value",
               "give it one where it is declared: `" + variable.type_name + " " + variable.text + " = 0`");
      pending_[variable.declaration] = {variable.text, name};
      place_scalar(following, variable.declaration, places_);
    }
  }
}

void Translator::forget(const std::set<int> &declarations, const std::string &why) {
  for (int declaration : declarations)
    if (auto found = integers_.find(declaration); found != integers_.end())
      found->second = {std::nullopt, why};
}

void Translator::branch(const Node &node, Body &body) {
  if (is_about_numbers(node.children[0])) return branch_on_numbers(node, body);
  const Condition test = condition(node.children[0]);
  auto side = [&](const Node &inside, const Condition &when) {
    if (!inside.is_there() || when.kind == Condition::Kind::Falsity) return;
    if (when.kind == Condition::Kind::Truth) return statements(flattened(inside), body);
    auto integers = integers_;
    Body inner = under(when, [&] { return inner_body(inside, node.head); });
    integers_ = std::move(integers);
    if (inner.empty()) return;
    StatementTree statement;
    statement.kind = StatementTree::Kind::If;
    statement.span = node.head;
    statement.condition = expression(when, variables_);
    statement.body = std::move(inner);
    body.push_back(std::move(statement));
  };
  side(node.children[1], test);
  side(node.children[2], negated(test));
  if (test.kind == Condition::Kind::Truth || test.kind == Condition::Kind::Falsity) return;
  std::set<int> assigned;
  collect_assigned(node, assigned);
  forget(assigned, "has different values in the two branches of the `if` before");
}

} // namespace unravel::cfront
