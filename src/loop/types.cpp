#include "loop/types.h"

#include "loop/walk.h"
#include "value/typed.h"

namespace unravel::loop {

namespace {

/// Locals in a value that no conversion is between, and none to a part of a complex number.
void each_plain_local(const Value &value, bool has_complex,
                      const std::function<void(const std::string &)> &visit) {
  if (const auto *local = std::get_if<Local>(&value.kind)) visit(local->name);
  const auto *made = std::get_if<Value::Apply>(&value.kind);
  if (!made || value::made_by_conversion(made->op) || made->op == value::Operator::RealPart ||
      made->op == value::Operator::ImaginaryPart || (has_complex && value::takes_part(made->op)))
    return;
  for (const Value &argument : made->arguments)
    each_plain_local(argument, has_complex, visit);
}

} // namespace

Types::Types(const Program &program) {
  std::optional<ElementType> all;
  const auto add = [&](const std::string &name, ElementType type, bool is_value) {
    arrays_[name] = type;
    if (!is_value) return;
    all = all ? value::common(*all, type) : value::promoted(type);
    has_integers_ = has_integers_ || value::is_integer(type);
    has_complex_ = has_complex_ || value::is_complex(type);
  };
  for (const TensorParameter &parameter : program.parameters)
    for (const ArrayParameter &array : parameter.arrays)
      add(parameter.name + "." + array.name, array.element, array.is_value);
  for (const WorkspaceArray &array : program.workspace)
    add(array.name, array.element, array.has_values());
  if (all) common_ = *all;
  find(program.body);
}

/// The types of locals that only others tell are found when these are known.
void Types::find(const Block &body) {
  const auto give = [&](const std::string &local, std::optional<ElementType> type) {
    return type && locals_.emplace(local, *type).second;
  };
  const auto of_leaf = [&](const Value &leaf) -> std::optional<ElementType> {
    if (std::holds_alternative<term::Term>(leaf.kind)) return ElementType::Int64;
    if (const auto *element = std::get_if<Element>(&leaf.kind)) return arrays_.at(element->array);
    const auto found = locals_.find(std::get<Local>(leaf.kind).name);
    return found == locals_.end() ? std::nullopt : std::optional(found->second);
  };
  each_statement(body, [&](const Statement &statement) {
    if (const auto *declaration = std::get_if<DeclareValue>(&statement.kind))
      give(declaration->name, declaration->type);
  });
  const auto find_written = [&](const Target &target, const Value &value) {
    bool found = false;
    std::optional<ElementType> type;
    const auto *local = std::get_if<Local>(&target);
    if (const auto *element = std::get_if<Element>(&target))
      type = arrays_.at(element->array);
    else if (const auto known = locals_.find(local->name); known != locals_.end())
      type = known->second;
    if (type)
      each_plain_local(value, has_complex_,
                       [&](const std::string &name) { found = give(name, type) || found; });
    return found;
  };
  for (bool by_use : {true, false})
    for (bool changed = true; changed;) {
      changed = false;
      each_statement(body, [&](const Statement &statement) {
        if (const auto *declaration = std::get_if<DeclareValue>(&statement.kind)) {
          bool is_constant = true;
          each_element(declaration->initial, [&](const Element &) { is_constant = false; });
          each_local(declaration->initial, [&](const Local &) { is_constant = false; });
          value::each_leaf<term::Term>(declaration->initial,
                                       [&](const term::Term &) { is_constant = false; });
          if (!is_constant)
            changed = give(declaration->name, value::computed_in(declaration->initial, of_leaf)) || changed;
        } else if (const auto *store = std::get_if<Store>(&statement.kind)) {
          if (by_use) changed = find_written(store->target, store->value) || changed;
          if (const auto *local = std::get_if<Local>(&store->target); local && !by_use)
            changed = give(local->name, value::computed_in(store->value, of_leaf)) || changed;
        } else if (const auto *add = std::get_if<Accumulate>(&statement.kind)) {
          if (by_use) changed = find_written(add->target, add->value) || changed;
          if (const auto *local = std::get_if<Local>(&add->target); local && !by_use)
            changed = give(local->name, value::computed_in(add->value, of_leaf)) || changed;
        }
      });
    }
}

ElementType Types::of_local(const std::string &local) const {
  const auto found = locals_.find(local);
  return found == locals_.end() ? common_ : found->second;
}

ElementType Types::of(const Target &target) const {
  if (const auto *element = std::get_if<Element>(&target)) return of_array(element->array);
  return of_local(std::get<Local>(target).name);
}

std::optional<ElementType> Types::of_leaf(const Value &leaf) const {
  if (std::holds_alternative<term::Term>(leaf.kind)) return ElementType::Int64;
  if (const auto *element = std::get_if<Element>(&leaf.kind)) return of_array(element->array);
  return of_local(std::get<Local>(leaf.kind).name);
}

std::optional<ElementType> Types::of(const Value &value) const {
  return value::computed_in(value, [&](const Value &leaf) { return of_leaf(leaf); });
}

std::optional<ElementType> Types::below_part(const Value::Apply &made) const {
  if (!value::takes_part(made.op)) return std::nullopt;
  return value::type_below(made, [&](const Value &leaf) { return of_leaf(leaf); });
}

} // namespace unravel::loop
