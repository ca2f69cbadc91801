#include "emit/opening.h"

#include "emit/mentioned.h"
#include "loop/walk.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::emit {

using namespace loop;
using term::Term;

namespace {

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

} // namespace

std::set<std::string> used_by(const Program &program) {
  const Block body = without_work(program.body, program);
  std::set<std::string> used = mentioned(body);
  add_extents(program, body, used);
  return used;
}

std::vector<std::string> opening_lines(const Program &program, const std::set<std::string> &used,
                                       const Names &names, Expressions &expressions) {
  std::vector<std::string> lines;
  add_preconditions(program, expressions, lines);
  for (std::size_t k = 0; k < program.parameters.size(); ++k)
    if (!is_used(program.parameters[k], program, used))
      lines.push_back(fmt::format("(void){};", names.parameter(k)));
  for (const std::string &size : program.sizes)
    if (!is_used(size, program, used)) lines.push_back(fmt::format("(void){};", names.variable(size)));
  bool works = std::any_of(program.workspace.begin(), program.workspace.end(),
                           [&](const WorkspaceArray &array) { return used.contains(array.name); });
  if (!program.workspace.empty() && !works)
    lines.push_back(fmt::format("(void){};", names.workspace().parameter));
  for (const TensorParameter &parameter : program.parameters)
    add_locals(parameter, used, names, expressions, lines);
  return lines;
}

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

} // namespace unravel::emit
