// The loop IR as text. One statement to a line; a comment stands on the line before its statement.
#include "loop/own_operators.h"
#include "loop/vector_sums.h"

#include <fmt/format.h>

namespace unravel::loop {

namespace {

using term::overloaded;
using term::to_text;

std::string print_factor(const Value &value) {
  const auto *made = value.as<Value::Apply>();
  const bool has_symbol = made && !laws_of(made->op).symbol.empty();
  return has_symbol ? "(" + to_text(value) + ")" : to_text(value);
}

std::string print(const Value::Apply &made) {
  const value::Laws &laws = laws_of(made.op);
  if (made.op == Operator::Negate) return fmt::format("-({})", to_text(made.arguments.at(0)));
  std::string result;
  if (laws.symbol.empty()) {
    for (const Value &argument : made.arguments)
      result += (result.empty() ? "" : ", ") + to_text(argument);
    return fmt::format("{}({})", laws.name, result);
  }
  for (const Value &argument : made.arguments)
    result += (result.empty() ? "" : fmt::format(" {} ", laws.symbol)) + print_factor(argument);
  return result;
}

std::string element_text(const Element &element) {
  return fmt::format("{}[{}]", element.array, to_text(element.slot));
}

std::string target_text(const Target &target) {
  return std::visit(
      overloaded{[](const Element &x) { return element_text(x); }, [](const Local &x) { return x.name; }},
      target);
}

std::string range_text(const KeyedRange &range) {
  return fmt::format("{} in {} .. {} by {}", range.variable, to_text(range.lower), to_text(range.upper),
                     range.key);
}

std::string appended_text(const Appended &appended) {
  std::string text;
  for (const Appended::Counter &counter : appended.counters)
    text += fmt::format("{} {} at {}", text.empty() ? " appends" : ",", counter.count, counter.end);
  for (const Appended::Pointers &pointers : appended.pointers)
    text += fmt::format(", {} at {} into {}", pointers.array, pointers.end, pointers.into);
  return text;
}

std::string parallel_text(const Parallel &parallel) {
  std::string text = fmt::format(" parallel {}", parallel.chunk);
  if (parallel.schedule == Parallel::Schedule::Static) text += " static";
  if (parallel.schedule == Parallel::Schedule::Guided) text += " guided";
  if (parallel.share > 0) text += fmt::format(" share {}", parallel.share);
  if (parallel.least > 0)
    text += parallel.least == Parallel::never ? " never" : fmt::format(" from {}", parallel.least);
  if (parallel.work) text += fmt::format(" of {}", to_text(*parallel.work));
  if (!parallel.sum.empty()) text += fmt::format(" sum {}", parallel.sum);
  if (!parallel.copied.empty()) text += fmt::format(" copies {}", parallel.copied);
  return parallel.appended ? text + appended_text(*parallel.appended) : text;
}

class Printer {
public:
  explicit Printer(int indent) : indent_(indent) {}

  void block(const Block &statements) {
    for (const Statement &statement : statements)
      std::visit([&](const auto &x) { print(x); }, statement.kind);
  }

  std::string take() { return std::move(result_); }

private:
  void line(const std::string &text) {
    result_ += std::string(static_cast<std::size_t>(2 * indent_), ' ') + text + "\n";
  }

  void comment(const std::string &text) {
    if (!text.empty()) line("# " + text);
  }

  void nested(const std::string &head, const Block &body) {
    line(head + " {");
    indented(body);
    line("}");
  }

  void indented(const Block &body) {
    ++indent_;
    block(body);
    --indent_;
  }

  static std::string sums_text(VectorSum kind) {
    return kind == VectorSum::None ? "" : fmt::format(" sums {}", name_of(kind));
  }

  void print(const For &x) {
    comment(x.comment);
    std::string head = fmt::format("for {} in {} .. {}", x.variable, to_text(x.lower), to_text(x.upper));
    if (x.step != 1) head += fmt::format(" step {}", x.step);
    if (x.parallel) head += parallel_text(*x.parallel);
    if (x.simd) head += " simd";
    if (x.brief) head += " brief";
    if (x.together != 1) head += fmt::format(" together {}", x.together);
    if (x.masked) head += fmt::format(" masked {}", to_text(x.masked->when));
    if (x.masked && !x.masked->pointers.empty()) head += fmt::format(" uneven {}", x.masked->pointers);
    if (x.masked && x.masked->reads_on) head += " reads_on";
    if (x.team) head += " team";
    if (x.in_lanes) head += " lanes";
    nested(head + sums_text(x.sums), x.body);
  }
  void print(const While &x) {
    comment(x.comment);
    nested("while " + to_text(x.condition) + sums_text(x.sums), x.body);
  }
  void print(const Intersect &x) {
    comment(x.comment);
    nested(fmt::format("intersect {}, {}", range_text(x.first), range_text(x.second)), x.body);
  }
  void print(const Merge &x) {
    comment(x.comment);
    line(fmt::format("merge {} {{", x.variable));
    ++indent_;
    for (const MergedRange &merged : x.ranges)
      nested("at " + range_text(merged.range), merged.body);
    nested("then", x.body);
    --indent_;
    line("}");
  }
  void print(const If &x) {
    comment(x.comment);
    line("if " + to_text(x.condition) + (x.speculative ? " speculative {" : " {"));
    indented(x.then);
    if (!x.otherwise.empty()) {
      line("} else {");
      indented(x.otherwise);
    }
    line("}");
  }
  void print(const Let &x) { line(fmt::format("let {} = {}", x.variable, to_text(x.value))); }
  void print(const Declare &x) { line(fmt::format("var {} = {}", x.variable, to_text(x.initial))); }
  void print(const Assign &x) { line(fmt::format("{} := {}", x.variable, to_text(x.value))); }
  void print(const ShareOut &x) {
    line(fmt::format("share {} in {} of {}, {}", to_text(x.total), x.parts, x.share, to_text(x.each)));
  }
  void print(const DeclareValue &x) {
    line(fmt::format("value {}{} = {}", x.name, x.type ? ": " + name_of(*x.type) : "", to_text(x.initial)));
  }
  void print(const Store &x) { line(fmt::format("{} = {}", target_text(x.target), to_text(x.value))); }
  void print(const Accumulate &x) {
    line(fmt::format("{}{} {} {}", x.atomic ? "atomic " : "", target_text(x.target),
                     value::reduction_text(x.by), to_text(x.value)));
  }
  void print(const Zero &x) { line(fmt::format("zero {}, {}", x.array, to_text(x.count))); }
  void print(const SetElement &x) {
    line(fmt::format("{}({}) := {}{}", x.array, to_text(x.slot), to_text(x.value),
                     x.whole_word ? " word" : ""));
  }
  void print(const Sort &x) {
    line(fmt::format("sort {}{}{} in {}, {}", x.order, x.keys.empty() ? "" : " by ", x.keys, x.room,
                     to_text(x.count)));
  }
  void print(const IfValue &x) {
    comment(x.comment);
    const char *test = x.test == IfValue::Test::Stored       ? "stored"
                       : x.test == IfValue::Test::NotANumber ? "nan"
                                                             : "differs";
    nested(fmt::format("if {} {}{}{}", test, x.local,
                       x.test == IfValue::Test::Differs ? fmt::format(" from {}", x.number) : "",
                       x.speculative ? " speculative" : ""),
           x.then);
  }
  void print(const Reserve &x) {
    const std::string arrays = fmt::format("{}", fmt::join(x.arrays.begin(), x.arrays.end(), ", "));
    line(fmt::format("reserve {} >= {}{}{}", x.count.empty() ? "room" : x.count, to_text(x.least),
                     arrays.empty() ? "" : " : ", arrays));
  }
  void print(const SetCount &x) { line(fmt::format("count {} = {}", x.count, to_text(x.value))); }
  void print(const Break &) { line("break"); }
  void print(const Miss &) { line("miss"); }
  void print(const Blas &x) {
    std::string text = fmt::format("blas {} by {}", target_text(x.target), element_text(x.left));
    if (x.right) text += fmt::format(" and {}", element_text(*x.right));
    text += fmt::format(" scale {}", to_text(x.scale));
    for (const Blas::Axis &axis : x.axes)
      text += fmt::format(" over {} : {}, {}, {}", to_text(axis.extent), to_text(axis.target),
                          to_text(axis.left), to_text(axis.right));
    line(text + (x.threads ? " threads" : ""));
  }
  void print(const Prefetch &x) { line(fmt::format("prefetch {}[{}]", x.array, to_text(x.slot))); }

  int indent_;
  std::string result_;
};

std::string joined(const std::vector<std::string> &names) {
  return fmt::format("{}", fmt::join(names.begin(), names.end(), ", "));
}

std::string parameter_text(const TensorParameter &parameter) {
  std::string result = fmt::format("{} {} : {}({}){}\n", parameter.is_result ? "result" : "operand",
                                   parameter.name, parameter.layout, joined(parameter.sizes),
                                   parameter.type_name.empty() ? "" : " as " + parameter.type_name);
  if (!parameter.structure.empty()) result += fmt::format("  like {}\n", parameter.structure);
  if (parameter.assembled) result += "  assembled\n";
  if (parameter.constant) result += "  constant\n";
  for (std::size_t at = 0; at < parameter.about.size();) {
    std::size_t end = std::min(parameter.about.find('\n', at), parameter.about.size());
    result += fmt::format("  about {}\n", parameter.about.substr(at, end - at));
    at = end + 1;
  }
  for (const std::string &count : parameter.counts)
    result += fmt::format("  count {}\n", count);
  for (const ArrayParameter &array : parameter.arrays) {
    std::vector<std::string> extents;
    for (const term::Term &extent : array.extents)
      extents.push_back(to_text(extent));
    result += fmt::format("  {} {}[{}] : {}{}\n", array.is_value ? "value" : "index", array.name,
                          joined(extents), name_of(array.element), array.non_negative ? " nonnegative" : "");
  }
  return result;
}

std::string workspace_text(const WorkspaceArray &array) {
  std::string result =
      fmt::format("workspace {}[{}] : {}", array.name, to_text(array.extent), name_of(array.element));
  if (array.is_value && value::is_integer(array.element)) result += " values";
  if (array.initial) result += fmt::format(" = {}", *array.initial);
  if (array.per_thread) result += " per thread";
  if (array.for_teams) result += " of teams";
  if (array.grows) result += " grows";
  if (array.hashed) result += " hashed";
  if (!term::is_true(array.when)) result += " if " + to_text(array.when);
  return result + "\n" + (array.about.empty() ? "" : "  about " + array.about + "\n");
}

} // namespace

std::string name_of(ElementType type) {
  return std::string(value::facts_of(type).name);
}

std::string to_text(const Value &value) {
  return std::visit(overloaded{
                        [](const Number &x) { return fmt::format("{}", x.value); },
                        [](const Element &x) { return element_text(x); },
                        [](const Local &x) { return x.name; },
                        [](const term::Term &x) { return "[" + to_text(x) + "]"; },
                        [](const Value::Apply &x) { return print(x); },
                    },
                    value.kind);
}

std::string to_text(const Block &block, int indent) {
  Printer printer(indent);
  printer.block(block);
  return printer.take();
}

std::string to_text(const Program &program) {
  std::string result = fmt::format("kernel {}\nexpression {}\n", program.name, program.expression);
  for (const Operator &op : own_operators(program.body)) {
    const value::OwnOperator &own = *op.own();
    result +=
        fmt::format("{} = {}{}\n", value::head_text(own), to_text(definition_of(own)), value::laws_text(own));
  }
  for (const TensorParameter &parameter : program.parameters)
    result += parameter_text(parameter);
  for (const std::string &size : program.sizes)
    result += fmt::format("size {}\n", size);
  for (const Precondition &condition : program.preconditions)
    result += fmt::format("require {} : {}\n", to_text(condition.formula), condition.message);
  for (const WorkspaceArray &array : program.workspace)
    result += workspace_text(array);
  return result + "{\n" + to_text(program.body, 1) + "}\n";
}

} // namespace unravel::loop
