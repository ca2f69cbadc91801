#include "loop/load.h"

#include "loop/arrays.h"

#include <algorithm>

namespace unravel::loop {

using term::overloaded;
using term::Term;

namespace {

void add_term(std::vector<Load> &loads, const Term &term) {
  for (const Term &application : applications_of(term))
    if (Load load{application, false}; std::find(loads.begin(), loads.end(), load) == loads.end())
      loads.push_back(std::move(load));
}

/// Values whose elements may be replaced by locals: not the operands of BLAS, which are read as arrays.
void each_replaced_value(const Statement &statement, const std::function<void(const Value &)> &visit) {
  if (const auto *call = statement.as<Blas>()) return visit(call->scale);
  each_own_value(statement, visit);
}

void add_own(std::vector<Load> &loads, const Statement &statement) {
  each_own_term(statement, [&](const Term &term) { add_term(loads, term); });
  each_replaced_value(statement, [&](const Value &value) {
    each_element(value, [&](const Element &element) {
      Load load{term::apply(element.array, {element.slot}), true};
      if (std::find(loads.begin(), loads.end(), load) == loads.end()) loads.push_back(std::move(load));
    });
  });
}

/// The part of a condition that is evaluated first.
Term first_part(const Term &condition) {
  if (const auto *both = condition.as<term::And>(); both && !both->parts.empty())
    return first_part(both->parts[0]);
  if (const auto *either = condition.as<term::Or>(); either && !either->parts.empty())
    return first_part(either->parts[0]);
  if (const auto *negated = condition.as<term::Not>()) return first_part(negated->of);
  return condition;
}

Value replace_element(const Value &value, const Load &load, const std::string &name) {
  return map_leaves(value, [&](const Value &leaf) {
    const auto *element = leaf.as<Element>();
    bool is_load = element && term::apply(element->array, {element->slot}) == load.term;
    return is_load ? Value{Local{name}} : leaf;
  });
}

/// Of A.p: p; of A.p.first: p.first.
std::string without_tensor(const std::string &name) {
  return name.substr(name.find('.') + 1);
}

/// "_i" for i, "_i1" for i + 1, "_0" for 0, "" for anything longer.
std::string argument_suffix(const Term &argument) {
  term::Linear linear = linear_form(argument);
  if (linear.parts.empty() && linear.constant >= 0) return "_" + std::to_string(linear.constant);
  if (linear.parts.size() != 1 || linear.parts[0].second != 1 || linear.constant < 0) return "";
  const auto *variable = linear.parts[0].first.as<term::Variable>();
  if (!variable) return "";
  return "_" + without_tensor(variable->name) + (linear.constant ? std::to_string(linear.constant) : "");
}

} // namespace

std::vector<Load> certain_loads(const Statement &statement) {
  std::vector<Load> loads;
  if (const auto *loop = statement.as<While>())
    add_term(loads, first_part(loop->condition));
  else if (const auto *guard = statement.as<If>())
    add_term(loads, first_part(guard->condition));
  else if (!statement.is<Blas>()) // which may do nothing
    add_own(loads, statement);
  return loads;
}

std::vector<Load> all_loads(const Statement &statement) {
  std::vector<Load> loads;
  each_statement(statement, [&](const Statement &inner) { add_own(loads, inner); });
  return loads;
}

int count_load(const Statement &statement, const Load &load) {
  if (!load.is_value) return occurrences(statement, load.term);
  int count = 0;
  each_statement(statement, [&](const Statement &inner) {
    each_replaced_value(inner, [&](const Value &value) {
      each_element(value, [&](const Element &element) {
        count += term::apply(element.array, {element.slot}) == load.term;
      });
    });
  });
  return count;
}

bool changes(const Effects &effects, const Load &load) {
  return effects.changes(load.term) || effects.mentions_declared(load.term);
}

void replace_load(Statement &statement, const Load &load, const std::string &name) {
  if (load.is_value)
    rewrite(statement, {}, [&](const Value &value) { return replace_element(value, load, name); });
  else
    rewrite(statement, [&](const Term &term) {
      return replace(term, std::map<Term, Term>{{load.term, term::variable(name)}});
    });
}

Origins origins_of(const Load &load, const Statement &statement) {
  int inside = 0;
  Origins origins;
  for (const Block *block : blocks_of(statement))
    for (const Statement &each : *block) {
      inside += count_load(each, load);
      origins = joined(origins, origins_of(load, each));
    }
  return count_load(statement, load) > inside ? joined(origins, statement.origins) : origins;
}

Statement declare_load(const Load &load, const std::string &name, const Origins &origins) {
  if (!load.is_value) return {Let{name, load.term}, origins};
  const auto *element = load.term.as<term::Apply>();
  return {DeclareValue{name, Value{Element{element->function, element->arguments[0]}}}, origins};
}

FreshNames::FreshNames(const Program &program) {
  taken_ = sizes_of(program);
  each_array(program, [&](const std::string &name, const ArrayParameter &, const TensorParameter &) {
    taken_.insert(name);
  });
  taken_.insert(program.sizes.begin(), program.sizes.end());
  for (const WorkspaceArray &array : program.workspace)
    taken_.insert(array.name);
  Effects effects = effects_of(program.body);
  taken_.insert(effects.declared.begin(), effects.declared.end());
}

std::string FreshNames::name(const Load &load) {
  const auto *application = load.term.as<term::Apply>();
  std::string wanted = application->function;
  for (const Term &argument : application->arguments)
    wanted += argument_suffix(argument);
  return name(wanted);
}

std::string FreshNames::name(const std::string &wanted) {
  std::string result = wanted;
  for (int k = 2; !taken_.insert(result).second; ++k)
    result = wanted + "_" + std::to_string(k);
  return result;
}

} // namespace unravel::loop
