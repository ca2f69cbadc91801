#include "emit/body.h"

#include "emit/wrap.h"
#include "loop/own_operators.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <vector>

namespace unravel::emit {

using loop::ElementType;
using loop::Operator;
using loop::Program;

namespace {

/// A program whose locals are the arguments: types and names are found as those of any program.
Program arguments_of(const Program &program, const value::OwnOperator &own, ElementType type) {
  Program made = program;
  made.body.clear();
  for (const std::string &argument : own.arguments)
    made.body.push_back({loop::DeclareValue{argument, {loop::Number{0}}, type}});
  return made;
}

std::string function_text(const Program &program, const Operator &op, ElementType type,
                          Expressions &expressions) {
  const value::OwnOperator &own = *op.own();
  const ElementType inner = value::is_integer(type) && own.is_real ? ElementType::Float64 : type;
  const Program arguments = arguments_of(program, own, inner);
  const Names names(arguments);
  Expressions inside(arguments, names);
  inside.name_own(expressions.own_names());
  inside.keep_order(expressions.keeps_order());
  const std::string c = c_type(type);
  std::string value = inside.value(loop::definition_of(own), inner);
  if (inner != type && type != ElementType::Bool)
    value = fmt::format("unravel_from_real{}({})", expressions.need_typed("from_real", type), value);
  for (const std::string &part : inside.needs())
    expressions.need(part);
  std::string before;
  for (const auto &[other, of] : inside.own_functions())
    before += function_text(program, other, of, expressions);
  std::set<std::size_t> used;
  value::each_leaf<value::Argument>(own.definition,
                                    [&](const value::Argument &argument) { used.insert(argument.number); });
  std::string parameters, unused;
  for (std::size_t k = 0; k < own.arguments.size(); ++k) {
    const std::string &argument = names.variable(own.arguments[k]);
    parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", c_type(inner), argument);
    if (!used.contains(k)) unused += fmt::format("(void){}; ", argument);
  }
  const std::string name = expressions.own_function(op, type), macro = "UNRAVEL_OWN_" + name;
  std::string text = fmt::format("#ifndef {0}\n#define {0}\n", macro);
  text += wrap_text(comment_text(value::to_text(own)), "// ");
  const bool is_cut = inner == type && value::is_integer(type) && value::promoted(type) != type;
  text += fmt::format("static inline {} {}({}) {{ {}return {}; }}\n", c, name, parameters, unused,
                      type == ElementType::Bool ? fmt::format("({}) != 0", value)
                      : is_cut                  ? fmt::format("({})({})", c, value)
                                                : value);
  if (value::is_reduction(op))
    text += fmt::format("#ifdef _OPENMP\n#pragma omp declare reduction({0} : {1} : omp_out = {0}(omp_out, "
                        "omp_in)) \\\n    initializer(omp_priv = {2})\n#endif\n",
                        name, c, inside.value({loop::Number{value::identity_of(op)}}, type));
  for (const std::string &part : inside.needs())
    expressions.need(part);
  return before + text + "#endif\n\n";
}

} // namespace

void name_own_operators(const Program &program, Names &names, Expressions &expressions) {
  std::map<std::string, std::string> made;
  for (const Operator &op : loop::own_operators(program.body))
    made[op.own()->name] = names.fresh(to_identifier(names.kernel() + "_" + op.own()->name));
  expressions.name_own(std::move(made));
}

std::string own_operators_text(const Program &program, Expressions &expressions) {
  std::string text;
  const auto functions = expressions.own_functions();
  for (const auto &[op, type] : functions)
    text += function_text(program, op, type, expressions);
  return text;
}

} // namespace unravel::emit
