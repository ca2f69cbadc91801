#include "parse/operators.h"
#include "parse/parse.h"
#include "parse/values.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace unravel::parse {

namespace {

using Kind = Expression::Kind;

/// How tightly the operator of a node binds; brackets go around children that bind less tightly than asked
/// for.
enum Binding { Implication, Disjunction, Conjunction, Negation, Relation, Sum, Product, Sign, Primary };

Binding binding_of(Kind kind) {
  switch (kind) {
  case Kind::Implies: return Implication;
  case Kind::Or: return Disjunction;
  case Kind::And: return Conjunction;
  case Kind::Not: return Negation;
  case Kind::Compare: return Relation;
  case Kind::Add:
  case Kind::Subtract: return Sum;
  case Kind::Multiply:
  case Kind::Divide:
  case Kind::Modulo: return Product;
  case Kind::Negate: return Sign;
  case Kind::Integer:
  case Kind::Decimal:
  case Kind::Imaginary:
  case Kind::Name:
  case Kind::Call:
  case Kind::Truth:
  case Kind::Falsity: return Primary;
  }
  return Primary;
}

const char *symbol_of(Expression::Comparison comparison) {
  switch (comparison) {
  case Expression::Comparison::Equal: return "=";
  case Expression::Comparison::NotEqual: return "!=";
  case Expression::Comparison::Less: return "<";
  case Expression::Comparison::AtMost: return "<=";
  case Expression::Comparison::Greater: return ">";
  case Expression::Comparison::AtLeast: return ">=";
  }
  return "=";
}

/// The shortest decimal number that reads back as `value`.
std::string shortest_text(double value) {
  char buffer[64];
  auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

/// Never one that reads back as an integer.
std::string decimal_text(double value) {
  std::string text = shortest_text(value);
  if (text.find_first_of(".enf") == std::string::npos) text += ".0"; // not of inf
  return text;
}

class ExpressionPrinter {
public:
  std::string take() { return std::move(out_); }

  /// Prints `e`, in brackets where it binds less tightly than `least`.
  void print(const Expression &e, Binding least) {
    bool brackets = binding_of(e.kind) < least;
    if (brackets) out_ += '(';
    print_node(e);
    if (brackets) out_ += ')';
  }

private:
  void print_node(const Expression &e) {
    switch (e.kind) {
    case Kind::Integer: out_ += std::to_string(e.integer); return;
    case Kind::Decimal: out_ += decimal_text(e.decimal); return;
    case Kind::Imaginary: out_ += shortest_text(e.decimal) + 'i'; return;
    case Kind::Name: out_ += e.name.text; return;
    case Kind::Call: return print_call(e);
    case Kind::Negate: return print_prefix(e, "-", Sign);
    case Kind::Add: return print_chain(e, " + ", Sum, Product);
    case Kind::Subtract: return print_chain(e, " - ", Sum, Product);
    case Kind::Multiply: return print_chain(e, " * ", Product, Sign);
    case Kind::Divide: return print_chain(e, " / ", Product, Sign);
    case Kind::Modulo: return print_chain(e, " mod ", Product, Sign);
    case Kind::Compare: return print_comparison(e);
    case Kind::And: return print_chain(e, " and ", Negation, Negation);
    case Kind::Or: return print_chain(e, " or ", Conjunction, Conjunction);
    case Kind::Not: return print_prefix(e, "not ", Negation);
    case Kind::Implies: return print_chain(e, " => ", Disjunction, Implication);
    case Kind::Truth: out_ += "true"; return;
    case Kind::Falsity: out_ += "false"; return;
    }
  }

  void print_call(const Expression &e) {
    out_ += e.name.text + "(";
    for (std::size_t k = 0; k < e.children.size(); ++k) {
      if (k > 0) out_ += ", ";
      print(e.children[k], Relation);
    }
    out_ += ')';
  }

  void print_prefix(const Expression &e, const char *symbol, Binding least) {
    out_ += symbol;
    print(e.children[0], least);
  }

  void print_chain(const Expression &e, const char *symbol, Binding first, Binding others) {
    print(e.children[0], first);
    for (std::size_t k = 1; k < e.children.size(); ++k) {
      out_ += symbol;
      print(e.children[k], others);
    }
  }

  void print_comparison(const Expression &e) {
    print(e.children[0], Sum);
    for (std::size_t k = 1; k < e.children.size(); ++k) {
      out_ += std::string(" ") + symbol_of(e.comparisons[k - 1]) + " ";
      print(e.children[k], Sum);
    }
  }

  std::string out_;
};

} // namespace

std::string to_text(const Expression &expression) {
  ExpressionPrinter printer;
  printer.print(expression, Implication);
  return printer.take();
}

namespace {

/// What is assigned: a comparison with `=` needs brackets there.
std::string value_text(const Expression &value) {
  const bool has_equality =
      std::ranges::find(value.comparisons, Expression::Comparison::Equal) != value.comparisons.end();
  return has_equality ? "(" + to_text(value) + ")" : to_text(value);
}

} // namespace

std::string to_text(const AssignmentTree &assignment) {
  std::string operators;
  for (const OperatorTree &made : assignment.operators)
    operators += to_text(made) + "; ";
  auto op = [&]() -> std::string {
    switch (assignment.op) {
    case AssignmentTree::Operator::Set: return " = ";
    case AssignmentTree::Operator::Add: return " += ";
    case AssignmentTree::Operator::Subtract: return " -= ";
    case AssignmentTree::Operator::Multiply: return " *= ";
    case AssignmentTree::Operator::Divide: return " /= ";
    case AssignmentTree::Operator::Reduce: return " " + assignment.reduction.text + "= ";
    }
    return " = ";
  };
  std::string text = operators + to_text(assignment.target) + op() + value_text(assignment.value);
  if (const std::optional<SemiringTree> &semiring = assignment.semiring)
    text += " in " + semiring->add.text + "." + semiring->multiply.text;
  if (assignment.mask) text += " mask " + to_text(*assignment.mask);
  return text;
}

namespace {

std::string local_text(const StatementTree &local) {
  const Expression &target = local.assignment.target;
  std::string modes;
  for (std::size_t k = 0; k < target.children.size(); ++k) {
    modes += (k == 0 ? "" : ", ") + target.children[k].name.text;
    if (local.extents[k]) modes += " in [0, " + to_text(*local.extents[k]) + ")";
  }
  return "let " + target.name.text + (modes.empty() ? "" : "(" + modes + ")") + " = " +
         value_text(local.assignment.value);
}

std::string body_text(const std::vector<StatementTree> &body, const std::string &indent) {
  std::string result;
  for (const StatementTree &statement : body) {
    result += indent;
    switch (statement.kind) {
    case StatementTree::Kind::Assign: result += to_text(statement.assignment) + ";\n"; continue;
    case StatementTree::Kind::Local: result += local_text(statement) + ";\n"; continue;
    case StatementTree::Kind::For:
      result += "for " + statement.variable.text;
      if (statement.low) result += " in [" + to_text(*statement.low) + ", " + to_text(*statement.high) + ")";
      break;
    case StatementTree::Kind::If: result += "if " + to_text(statement.condition); break;
    case StatementTree::Kind::Repeat:
      result += "repeat";
      if (statement.high) result += " " + to_text(*statement.high);
      if (statement.until) result += " until " + to_text(*statement.until);
      break;
    }
    result += " {\n" + body_text(statement.body, indent + "  ") + indent + "}\n";
  }
  return result;
}

} // namespace

std::string to_text(const ProgramTree &program) {
  std::vector<std::string> tensors, sizes;
  for (const TensorTree &tensor : program.tensors) {
    std::vector<std::string> extents;
    for (const Expression &extent : tensor.extents)
      extents.push_back(to_text(extent));
    tensors.push_back(tensor.name.text +
                      (extents.empty() ? "" : fmt::format("({})", fmt::join(extents, ", "))) +
                      to_text(tensor.values));
  }
  for (const SizeTree &size : program.sizes)
    sizes.push_back(size.name.text + (size.least ? fmt::format(" >= {}", *size.least) : ""));
  std::string result;
  for (const OperatorTree &made : program.operators)
    result += to_text(made) + ";\n";
  if (!tensors.empty()) result += fmt::format("tensor {};\n", fmt::join(tensors, ", "));
  if (!sizes.empty()) result += fmt::format("size {};\n", fmt::join(sizes, ", "));
  return result + body_text(program.body, "");
}

} // namespace unravel::parse
