#include "parse/parse.h"

#include <charconv>
#include <string_view>

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

/// The shortest decimal number that reads back as `value`; never one that reads back as an integer.
std::string decimal_text(double value) {
  char buffer[64];
  auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, result.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <typename List, typename Print>
std::string join_texts(const List &list, std::string_view between, Print print) {
  std::string result;
  bool first = true;
  for (const auto &element : list) {
    if (!first) result += between;
    first = false;
    result += print(element);
  }
  return result;
}

std::string name_text(const Name &name) {
  return name.text;
}

std::string names_text(const std::vector<Name> &names) {
  return join_texts(names, ", ", name_text);
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
      print(e.children[k], Sum);
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

std::string expressions_text(const std::vector<Expression> &list) {
  return join_texts(list, ", ", [](const Expression &e) { return to_text(e); });
}

std::string comment_text(const std::string &comment) {
  if (comment.empty()) return {};
  std::string result = "# ";
  for (char c : comment) {
    result += c;
    if (c == '\n') result += "# ";
  }
  return result + "\n";
}

std::string array_text(const ArrayTree &array) {
  std::string result = array.name.text + "[" + expressions_text(array.extents) + "]";
  if (array.element) result += " : " + array.element->text;
  return result;
}

/// Neighbours of one sort share a statement.
std::string arrays_text(const std::vector<ArrayTree> &arrays) {
  std::string result;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    bool continues = k > 0 && arrays[k - 1].is_value == arrays[k].is_value;
    if (!continues) result += arrays[k].is_value ? "  value " : "  index ";
    result += array_text(arrays[k]);
    bool continued = k + 1 < arrays.size() && arrays[k + 1].is_value == arrays[k].is_value;
    result += continued ? ", " : ";\n";
  }
  return result;
}

std::string counts_text(const std::vector<CountTree> &counts) {
  if (counts.empty()) return {};
  return "  count " +
         join_texts(counts, ", ",
                    [](const CountTree &count) {
                      return count.definition ? count.name.text + " = " + to_text(*count.definition)
                                              : count.name.text;
                    }) +
         ";\n";
}

std::string stored_text(const StoredTree &stored) {
  return "  stored { [" + names_text(stored.positions) + "] -> [" + expressions_text(stored.coordinates) +
         "] : " + to_text(stored.relation) + " } at " + to_text(stored.value) + ";\n";
}

std::string functions_text(const PropertyTree &property) {
  std::string names = names_text(property.functions);
  return property.functions.size() == 1 ? names : "(" + names + ")";
}

std::string property_body(const PropertyTree &property) {
  std::string within = property.within ? " within " + property.within->text : "";
  switch (property.form) {
  case PropertyTree::Form::Range:
    return "range " + functions_text(property) + " in [" + to_text(*property.low) + ", " +
           to_text(*property.high) + (property.high_included ? "]" : ")");
  case PropertyTree::Form::Injective: return "injective " + functions_text(property) + within;
  case PropertyTree::Form::Monotone:
    return std::string(property.strict ? "strictly " : "") +
           (property.decreasing ? "decreasing " : "increasing ") + functions_text(property) + within;
  case PropertyTree::Form::Formula:
    return (property.variables.empty() ? "" : "forall " + names_text(property.variables) + " : ") +
           to_text(*property.formula);
  }
  return {};
}

std::string level_text(const LevelTree &level) {
  std::string result = level.coordinate.text + ": " + level.format.text;
  if (level.buckets) result += "(" + to_text(*level.buckets) + ")";
  for (const LevelPropertyTree &property : level.properties)
    result += (property.holds ? " " : " not ") + property.name.text;
  return result;
}

} // namespace

std::string to_text(const Expression &expression) {
  ExpressionPrinter printer;
  printer.print(expression, Implication);
  return printer.take();
}

std::string to_text(const LayoutTree &layout) {
  std::string result = comment_text(layout.comment);
  result += layout.permutable ? "permutable layout " : "layout ";
  result += layout.name.text;
  if (!layout.parameters.empty())
    result +=
        "<" + join_texts(layout.parameters, ", ", [](const ParameterTree &p) { return p.name.text; }) + ">";
  result += "(" +
            join_texts(layout.coordinates, ", ",
                       [](const CoordinateTree &c) { return c.name.text + ": " + c.size.text; }) +
            ") {\n";
  result += arrays_text(layout.arrays) + counts_text(layout.counts);
  for (const StoredTree &stored : layout.stored)
    result += stored_text(stored);
  for (const PropertyTree &property : layout.properties)
    result += "  property " + to_text(property) + ";\n";
  if (!layout.levels.empty()) result += "  levels " + join_texts(layout.levels, ", ", level_text) + ";\n";
  return result + "}\n";
}

std::string to_text(const PropertyTree &property) {
  return property_body(property);
}

std::string to_text(const LayoutFileTree &file) {
  return join_texts(file.layouts, "\n", [](const LayoutTree &layout) { return to_text(layout); });
}

std::string to_text(const AssignmentTree &assignment) {
  auto op = [&] {
    switch (assignment.op) {
    case AssignmentTree::Operator::Set: return " = ";
    case AssignmentTree::Operator::Add: return " += ";
    case AssignmentTree::Operator::Subtract: return " -= ";
    case AssignmentTree::Operator::Multiply: return " *= ";
    case AssignmentTree::Operator::Divide: return " /= ";
    }
    return " = ";
  };
  return to_text(assignment.target) + op() + to_text(assignment.value);
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
         to_text(local.assignment.value);
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
    }
    result += " {\n" + body_text(statement.body, indent + "  ") + indent + "}\n";
  }
  return result;
}

} // namespace

std::string to_text(const ProgramTree &program) {
  std::string result = join_texts(program.tensors, ", ", [](const TensorTree &tensor) {
    if (tensor.extents.empty()) return tensor.name.text;
    return tensor.name.text + "(" +
           join_texts(tensor.extents, ", ", [](const Expression &extent) { return to_text(extent); }) + ")";
  });
  if (!result.empty()) result = "tensor " + result + ";\n";
  if (!program.sizes.empty())
    result += "size " +
              join_texts(program.sizes, ", ",
                         [](const SizeTree &size) {
                           return size.name.text + (size.least ? " >= " + std::to_string(*size.least) : "");
                         }) +
              ";\n";
  return result + body_text(program.body, "");
}

namespace {

std::string transformation_text(const ScheduleTree::Transformation &how) {
  using How = ScheduleTree::Transformation::Kind;
  const std::string variable = how.variable.text, number = std::to_string(how.number);
  switch (how.kind) {
  case How::Tile: return "tile " + variable + " by " + number;
  case How::Split: return "split " + variable + " by " + number;
  case How::Skew:
    return "skew " + variable + " by " + (how.number < 0 ? "-" : "") + std::to_string(std::abs(how.number)) +
           "*" + how.by.text;
  case How::Shift: return "shift " + variable + " by " + number;
  case How::Bound:
    return "bound " + variable + " in [" + std::to_string(how.low) + ", " + std::to_string(how.high) + ")";
  case How::Fix: return "bound " + variable + " = " + number;
  }
  return {};
}

std::string request_text(const ScheduleTree::LoopRequest &request) {
  using What = ScheduleTree::LoopRequest::Kind;
  const std::string by = request.factor == 0 ? "" : " by " + std::to_string(request.factor);
  switch (request.kind) {
  case What::Unroll: return "unroll " + request.variable.text + by;
  case What::Vectorise: return "vectorise " + request.variable.text;
  case What::Jam: return "jam " + request.variable.text + by;
  }
  return {};
}

} // namespace

std::string to_text(const ScheduleTree &schedule) {
  std::vector<std::string> parts;
  for (const ScheduleTree::Transformation &transformation : schedule.transformations)
    parts.push_back(transformation_text(transformation));
  if (!schedule.order.empty()) parts.push_back("order " + names_text(schedule.order));
  if (!schedule.parallel.empty())
    parts.push_back("parallel " + names_text(schedule.parallel) +
                    (schedule.sharing ? " " + schedule.sharing->text : ""));
  if (!schedule.fused.empty()) parts.push_back("fuse " + names_text(schedule.fused));
  if (schedule.wavefront)
    parts.push_back("wavefront " + schedule.wavefront->text + (schedule.packed ? " packed" : ""));
  for (const ScheduleTree::Reduce &reduce : schedule.reductions)
    parts.push_back("reduce " + reduce.target.text + " by " + reduce.method.text);
  for (const ScheduleTree::Find &find : schedule.finds)
    parts.push_back("find " + find.target.text + " by " + find.method.text);
  for (const ScheduleTree::LoopRequest &request : schedule.loops)
    parts.push_back(request_text(request));
  if (schedule.chunk) parts.push_back("chunk " + std::to_string(*schedule.chunk));
  if (schedule.serial) parts.push_back("serial");
  return join_texts(parts, "; ", [](const std::string &part) { return part; });
}

std::string to_text(const LayoutReference &reference) {
  if (!reference.like.empty()) return "like:" + reference.like;
  std::string result = reference.file;
  if (!reference.file.empty() && !reference.name.empty()) result += ":";
  result += reference.name;
  if (!reference.parameters.empty())
    result +=
        "<" + join_texts(reference.parameters, ",", [](std::int64_t p) { return std::to_string(p); }) + ">";
  return result;
}

} // namespace unravel::parse
