#include "loop/own_operators.h"

#include "loop/walk.h"
#include "report/diagnostic.h"

#include <algorithm>

namespace unravel::loop {

std::vector<Operator> own_operators(const Block &block) {
  std::vector<Operator> own;
  each_statement(block, [&](const Statement &statement) {
    each_own_value(statement, [&](const Value &value) { value::collect_own_in(value, own); });
    if (const auto *accumulate = statement.as<Accumulate>()) value::collect_own(accumulate->by, own);
  });
  return own;
}

Value definition_of(const value::OwnOperator &own) {
  return value::map_leaves<Value>(own.definition, [&](const value::Argument &argument) {
    return Value{Local{own.arguments[argument.number]}};
  });
}

value::Definition definition_of(const Value &value, const std::vector<std::string> &arguments) {
  if (const double *number = value::number_of(value)) return {Number{*number}};
  if (const auto *local = value.as<Local>()) {
    const auto found = std::find(arguments.begin(), arguments.end(), local->name);
    if (found != arguments.end())
      return {value::Argument{static_cast<std::size_t>(found - arguments.begin())}};
  }
  const auto *made = value.as<Value::Apply>();
  if (!made)
    report::fail(report::Kind::bad_ir_text, "an operator's value is made of its arguments and numbers", "");
  std::vector<value::Definition> parts;
  for (const Value &part : made->arguments)
    parts.push_back(definition_of(part, arguments));
  return value::apply(made->op, std::move(parts));
}

} // namespace unravel::loop
