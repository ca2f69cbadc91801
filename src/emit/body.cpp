#include "emit/body.h"

#include "emit/mentioned.h"
#include "emit/statement_writer.h"
#include "emit/wrap.h"
#include "loop/arrays.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::emit {

using namespace loop;
using term::Term;

namespace {

/// The block without what is compared with members: work in pragmas, conditions of masked loops.
Block without_work(Block block, const Program &program) {
  each_statement(block, [&](Statement &statement) {
    auto *loop = statement.as<For>();
    if (!loop) return;
    if (is_work_in_pragma(*loop, program)) loop->parallel->work.reset();
    loop->masked.reset();
  });
  return block;
}

/// Arrays of several extents: these are used where a slot is computed of more than the last subscript.
void add_extents(const Program &program, const Block &body, std::set<std::string> &names) {
  each_statement(body, [&](const Statement &statement) {
    each_own_term(statement, [&](const Term &term) {
      for (const Term &load : applications_of(term)) {
        const auto *call = load.as<term::Apply>();
        const ArrayParameter *array = find_array(call->function, program);
        if (!array || array->extents.size() < 2) continue;
        bool is_zero = true; // the slot so far
        for (std::size_t k = 1; k < call->arguments.size(); ++k) {
          is_zero = is_zero && call->arguments[k - 1] == Term(0);
          if (!is_zero) names.merge(variables_of(array->extents[k]));
        }
      }
    });
  });
}

/// What the body needs locals for: sizes, counts, arrays, by qualified names.
std::set<std::string> used_by(const Program &program) {
  const Block body = without_work(program.body, program);
  std::set<std::string> used = mentioned(body);
  add_extents(program, body, used);
  return used;
}

/// With what is used before the body.
std::set<std::string> used_anywhere(const Program &program, const std::set<std::string> &used) {
  std::set<std::string> all = used;
  for (const WorkspaceArray &array : program.workspace)
    if (used.contains(array.name)) all.merge(variables_of(array.extent));
  for (const Precondition &condition : program.preconditions) {
    auto names = variables_of(condition.formula);
    all.insert(names.begin(), names.end());
    for (const Term &load : applications_of(condition.formula))
      all.insert(load.as<term::Apply>()->function);
  }
  return all;
}

/// Whether a parameter is mentioned, so that C compilers don't warn about it.
bool is_used(const TensorParameter &parameter, const std::set<std::string> &all) {
  if (parameter.assembled) return true; // its members are set
  auto holds = [&](const std::string &name) { return all.contains(parameter.name + "." + name); };
  return std::any_of(parameter.sizes.begin(), parameter.sizes.end(), holds) ||
         std::any_of(parameter.counts.begin(), parameter.counts.end(), holds) ||
         std::any_of(parameter.arrays.begin(), parameter.arrays.end(),
                     [&](const auto &array) { return holds(array.name); });
}

void add_preconditions(const Program &program, Expressions &expressions, std::vector<std::string> &lines) {
  for (const Precondition &condition : program.preconditions)
    for (const Term &part : conjuncts(condition.formula)) {
      std::string refusal = expressions.term_of_members(negation(part));
      lines.push_back(fmt::format("if ({}) return 1;", refusal));
    }
}

/// Locals for what the body mentions of a parameter.
void add_locals(const TensorParameter &parameter, const std::set<std::string> &used, const Names &names,
                Expressions &expressions, std::vector<std::string> &lines) {
  for (const auto *list : {&parameter.sizes, &parameter.counts})
    for (const std::string &name : *list)
      if (std::string qualified = parameter.name + "." + name; used.contains(qualified))
        lines.push_back(
            fmt::format("const int64_t {} = {};", names.variable(qualified), names.member(qualified)));
  if (parameter.assembled) return; // its arrays aren't there yet
  for (const ArrayParameter &array : parameter.arrays) {
    std::string qualified = parameter.name + "." + array.name;
    if (!used.contains(qualified)) continue;
    expressions.need("restrict");
    const char *constant = parameter.is_result ? "" : "const ";
    lines.push_back(fmt::format("{}{} *UNRAVEL_RESTRICT {} = {};", constant, c_type(array.element),
                                names.array(qualified), names.member(qualified)));
  }
}

/// Preconditions, and locals for what is used of the parameters: a statement a line.
std::vector<std::string> opening_lines(const Program &program, const std::set<std::string> &used,
                                       const Names &names, Expressions &expressions) {
  std::vector<std::string> lines;
  add_preconditions(program, expressions, lines);
  const std::set<std::string> all = used_anywhere(program, used);
  for (std::size_t k = 0; k < program.parameters.size(); ++k)
    if (!is_used(program.parameters[k], all)) lines.push_back(fmt::format("(void){};", names.parameter(k)));
  for (const std::string &size : program.sizes)
    if (!all.contains(size)) lines.push_back(fmt::format("(void){};", names.variable(size)));
  bool works = std::any_of(program.workspace.begin(), program.workspace.end(),
                           [&](const WorkspaceArray &array) { return used.contains(array.name); });
  if (!program.workspace.empty() && !works)
    lines.push_back(fmt::format("(void){};", names.workspace().parameter));
  for (const TensorParameter &parameter : program.parameters)
    add_locals(parameter, used, names, expressions, lines);
  return lines;
}

} // namespace

std::string signature(const Program &program, const Names &names) {
  std::string list;
  for (std::size_t k = 0; k < program.parameters.size(); ++k)
    list += fmt::format("{}{}{} *{}", k ? ", " : "", program.parameters[k].is_result ? "" : "const ",
                        names.type_of(k).name, names.parameter(k));
  for (const std::string &size : program.sizes)
    list += fmt::format("{}int64_t {}", list.empty() ? "" : ", ", names.variable(size));
  if (!program.workspace.empty())
    list += fmt::format("{}{} *{}", list.empty() ? "" : ", ", names.workspace().type,
                        names.workspace().parameter);
  return fmt::format("int {}({})", names.kernel(), list.empty() ? "void" : list);
}

SpannedText function_text(const Program &program, const EmitOptions &options, Names &names,
                          Expressions &expressions) {
  std::set<std::string> used = used_by(program);
  StatementWriter writer(program, options, names, expressions);
  for (const std::string &line : opening_lines(program, used, names, expressions))
    writer.line(line);
  writer.begin();
  writer.workspace(used);
  writer.assemble();
  writer.masks();
  writer.body();
  writer.end();
  SpannedText result{wrap_code(signature(program, names) + " {", ""), writer.take_spans(), 0};
  for (Span &span : result.spans)
    span.begin += result.text.size(), span.end += result.text.size();
  result.text += writer.take() + "}\n";
  return result;
}

} // namespace unravel::emit
