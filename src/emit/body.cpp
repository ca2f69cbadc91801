#include "emit/body.h"

#include "emit/wrap.h"
#include "loop/facts.h"
#include "loop/walk.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::emit {

namespace {

using namespace loop;
using term::overloaded;
using term::Term;

std::string c_type(ElementType type) {
  switch (type) {
  case ElementType::Int32: return "int32_t";
  case ElementType::Int64: return "int64_t";
  case ElementType::Float32: return "float";
  case ElementType::Float64: return "double";
  }
  return "";
}

class StatementWriter {
public:
  StatementWriter(const EmitOptions &options, Names &names, Expressions &expressions)
      : options_(options), names_(names), expressions_(expressions) {}

  void block(const Block &statements) {
    for (std::size_t k = 0; k < statements.size(); ++k) {
      rest_ = {};
      if (std::holds_alternative<DeclareValue>(statements[k].kind))
        for (std::size_t later = k + 1; later < statements.size(); ++later)
          rest_.add(statements[later]);
      statement_ = &statements[k];
      expressions_.set_facts(facts_);
      std::visit([&](const auto &x) { write(x); }, statements[k].kind);
      facts_.pass(statements[k]);
    }
  }

  void line(const std::string &text) { text_ += wrap_code(text, indentation()); }

  std::string take() { return std::move(text_); }

private:
  std::string indentation() const { return std::string(static_cast<std::size_t>(2 * indent_), ' '); }

  void nested(const std::string &head, const Block &body) {
    const Statement &outer = *statement_;
    line(head.empty() ? "{" : head + " {");
    branch(outer, 0, body);
    line("}");
  }

  /// The block of that index in the statement, with what is known in it.
  void branch(const Statement &outer, std::size_t index, const Block &body) {
    Facts before = facts_;
    facts_ = before.inside(outer, index);
    ++indent_;
    block(body);
    --indent_;
    facts_ = std::move(before);
  }

  void comment(const std::string &text) {
    if (!text.empty()) text_ += wrap_text(comment_text(names_.translate(text)), indentation() + "// ");
  }

  /// Whether a bound may be computed again in each iteration: it doesn't change and is short.
  bool is_repeatable(const Term &bound, const Block &body) const {
    bool simple = applications_of(bound).size() <= 1 && !effects_of(body).changes(bound);
    std::string text = expressions_.term(bound);
    return simple && text.find("unravel_") == std::string::npos && text.find(" / ") == std::string::npos &&
           text.find(" % ") == std::string::npos;
  }

  void write(const For &x) {
    comment(x.comment);
    const std::string &variable = names_.variable(x.variable);
    std::string start = fmt::format("int64_t {} = {}", variable, expressions_.term(x.lower));
    std::string end = expressions_.term(x.upper);
    if (!is_repeatable(x.upper, x.body)) {
      std::string name = names_.fresh(variable + "_end");
      if (x.parallel)
        line(fmt::format("const int64_t {} = {};", name, end));
      else
        start += fmt::format(", {} = {}", name, end);
      end = name;
    }
    std::string step = x.step == 1 ? variable + "++" : fmt::format("{} += {}", variable, x.step);
    if (x.parallel && options_.openmp_pragmas) {
      text_ += "#ifdef _OPENMP\n";
      std::string enough;
      if (x.parallel->least > 0)
        enough = fmt::format(" if ({} >= {})", expressions_.term(x.upper - x.lower), x.parallel->least);
      text_ += fmt::format("#pragma omp parallel for schedule(dynamic, {}){}\n", x.parallel->chunk, enough);
      text_ += "#endif\n";
    }
    nested(fmt::format("for ({}; {} < {}; {})", start, variable, end, step), x.body);
  }

  void write(const While &x) {
    comment(x.comment);
    Facts each_round = facts_;
    each_round.forget(effects_of(x.body));
    expressions_.set_facts(std::move(each_round));
    nested(fmt::format("while ({})", expressions_.term(x.condition)), x.body);
  }

  void write(const If &x) {
    comment(x.comment);
    chain(*statement_, x, "");
    line("}");
  }

  /// if (...) { ... } else if (...) { ... } else { ... without the last brace. `before` is what closes the
  /// branch that comes before it.
  void chain(const Statement &statement, const If &x, const std::string &before) {
    line(before + (is_true(x.condition) ? "{" : fmt::format("if ({}) {{", expressions_.term(x.condition))));
    branch(statement, 0, x.then);
    if (x.otherwise.empty() || is_true(x.condition)) return;
    const auto *next = x.otherwise.size() == 1 ? std::get_if<If>(&x.otherwise[0].kind) : nullptr;
    if (!next || !next->comment.empty() || is_true(next->condition)) {
      line("} else {");
      branch(statement, 1, x.otherwise);
      return;
    }
    Facts outside = facts_;
    facts_ = outside.inside(statement, 1);
    expressions_.set_facts(facts_);
    chain(x.otherwise[0], *next, "} else ");
    facts_ = std::move(outside);
  }

  void write(const Let &x) {
    line(fmt::format("const int64_t {} = {};", names_.variable(x.variable), expressions_.term(x.value)));
  }

  void write(const Declare &x) {
    line(fmt::format("int64_t {} = {};", names_.variable(x.variable), expressions_.term(x.initial)));
  }

  void write(const Assign &x) {
    const std::string &variable = names_.variable(x.variable);
    std::int64_t change = 0;
    if (!constant_difference(term::variable(x.variable), x.value, change) || change == INT64_MIN)
      return line(fmt::format("{} = {};", variable, expressions_.term(x.value)));
    if (change == 1 || change == -1) return line(variable + (change > 0 ? "++;" : "--;"));
    line(fmt::format("{} {} {};", variable, change < 0 ? "-=" : "+=", change < 0 ? -change : change));
  }

  void write(const DeclareValue &x) {
    const char *constant = rest_.stored.contains(x.name) ? "" : "const ";
    const char *type = expressions_.single_precision() ? "float" : "double";
    line(
        fmt::format("{}{} {} = {};", constant, type, names_.variable(x.name), expressions_.value(x.initial)));
  }

  std::string target(const Target &target_) {
    return std::visit(overloaded{[&](const Element &x) { return expressions_.element(x); },
                                 [&](const Local &x) { return names_.variable(x.name); }},
                      target_);
  }

  void write(const Store &x) { line(fmt::format("{} = {};", target(x.target), expressions_.value(x.value))); }

  void write(const Accumulate &x) {
    if (const auto *minus = std::get_if<Minus>(&x.value.kind))
      return line(fmt::format("{} -= {};", target(x.target), expressions_.value(minus->of.at(0))));
    line(fmt::format("{} += {};", target(x.target), expressions_.value(x.value)));
  }

  void write(const Zero &x) {
    if (x.count == Term(1))
      return line(
          fmt::format("{} = {};", names_.array(x.array) + "[0]", expressions_.value(Value{Number{0}})));
    expressions_.needs().memset = true;
    const std::string &array = names_.array(x.array);
    std::string count = expressions_.term(x.count);
    bool atom = std::all_of(count.begin(), count.end(),
                            [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
    line(fmt::format("memset({}, 0, (size_t){} * sizeof(*{}));", array, atom ? count : "(" + count + ")",
                     array));
  }

  void write(const Break &) { line("break;"); }

  const EmitOptions &options_;
  Names &names_;
  Expressions &expressions_;
  Effects rest_; // of the statements after a declaration
  Facts facts_;  // at the statement that is written
  const Statement *statement_ = nullptr;
  std::string text_;
  int indent_ = 1;
};

/// Everything that the body mentions: sizes, counts, arrays, by qualified names.
std::set<std::string> mentioned(const Block &body) {
  std::set<std::string> names;
  auto add = [&](const Term &term) {
    auto variables = variables_of(term);
    names.insert(variables.begin(), variables.end());
    for (const Term &application : applications_of(term))
      names.insert(application.as<term::Apply>()->function);
  };
  each_statement(body, [&](const Statement &statement) {
    each_own_term(statement, add);
    each_own_value(statement, [&](const Value &value) {
      each_element(value, [&](const Element &element) { names.insert(element.array); });
    });
  });
  Effects effects = effects_of(body);
  names.insert(effects.stored.begin(), effects.stored.end());
  return names;
}

/// Arrays of several extents: their extents are used where a slot is computed.
void add_extents(const Program &program, std::set<std::string> &names) {
  for (const TensorParameter &parameter : program.parameters)
    for (const ArrayParameter &array : parameter.arrays)
      if (!array.is_value && names.contains(parameter.name + "." + array.name))
        for (std::size_t k = 1; k < array.extents.size(); ++k) {
          auto variables = variables_of(array.extents[k]);
          names.insert(variables.begin(), variables.end());
        }
}

void write_preconditions(const Program &program, const Expressions &expressions, StatementWriter &writer) {
  for (const Precondition &condition : program.preconditions)
    for (const Term &part : conjuncts(condition.formula)) {
      std::string refusal = expressions.term_of_members(negation(part));
      writer.line(fmt::format("if ({}) return 1;", refusal));
    }
}

/// Locals for what the body mentions of a parameter.
void write_locals(const TensorParameter &parameter, const std::set<std::string> &used, const Names &names,
                  Expressions &expressions, StatementWriter &writer) {
  for (const auto *list : {&parameter.sizes, &parameter.counts})
    for (const std::string &name : *list)
      if (std::string qualified = parameter.name + "." + name; used.contains(qualified))
        writer.line(
            fmt::format("const int64_t {} = {};", names.variable(qualified), names.member(qualified)));
  for (const ArrayParameter &array : parameter.arrays) {
    std::string qualified = parameter.name + "." + array.name;
    if (!used.contains(qualified)) continue;
    expressions.needs().restrict_macro = true;
    const char *constant = parameter.is_result ? "" : "const ";
    writer.line(fmt::format("{}{} *UNRAVEL_RESTRICT {} = {};", constant, c_type(array.element),
                            names.array(qualified), names.member(qualified)));
  }
}

/// Whether a parameter is mentioned, so that C compilers don't warn about it.
bool is_used(const TensorParameter &parameter, const Program &program, const std::set<std::string> &used) {
  std::set<std::string> all = used;
  for (const Precondition &condition : program.preconditions) {
    auto names = variables_of(condition.formula);
    all.insert(names.begin(), names.end());
    for (const Term &load : applications_of(condition.formula))
      all.insert(load.as<term::Apply>()->function);
  }
  auto holds = [&](const std::string &name) { return all.contains(parameter.name + "." + name); };
  return std::any_of(parameter.sizes.begin(), parameter.sizes.end(), holds) ||
         std::any_of(parameter.counts.begin(), parameter.counts.end(), holds) ||
         std::any_of(parameter.arrays.begin(), parameter.arrays.end(),
                     [&](const auto &array) { return holds(array.name); });
}

} // namespace

std::string comment_text(const std::string &text) {
  std::string result;
  for (char c : text) {
    unsigned char byte = static_cast<unsigned char>(c);
    char shown = byte < 32 ? ' ' : byte > 126 ? '?' : c == '\\' ? '|' : c;
    if (!result.empty() && ((result.back() == '*' && shown == '/') || (result.back() == '/' && shown == '*')))
      result += ' ';
    if (!result.empty() && result.back() == '?' && shown == '?') continue; // no trigraphs
    result += shown;
  }
  return result;
}

std::string signature(const Program &program, const Names &names) {
  std::string list;
  for (std::size_t k = 0; k < program.parameters.size(); ++k)
    list += fmt::format("{}{}{} *{}", k ? ", " : "", program.parameters[k].is_result ? "" : "const ",
                        names.type_of(k).name, names.parameter(k));
  return fmt::format("int {}({})", names.kernel(), list.empty() ? "void" : list);
}

std::string function_text(const Program &program, const EmitOptions &options, Names &names,
                          Expressions &expressions) {
  std::set<std::string> used = mentioned(program.body);
  add_extents(program, used);
  StatementWriter writer(options, names, expressions);
  write_preconditions(program, expressions, writer);
  for (std::size_t k = 0; k < program.parameters.size(); ++k)
    if (!is_used(program.parameters[k], program, used))
      writer.line(fmt::format("(void){};", names.parameter(k)));
  for (const TensorParameter &parameter : program.parameters)
    write_locals(parameter, used, names, expressions, writer);
  writer.block(program.body);
  writer.line("return 0;");
  return wrap_code(signature(program, names) + " {", "") + writer.take() + "}\n";
}

} // namespace unravel::emit
