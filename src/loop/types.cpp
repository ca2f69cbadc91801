#include "loop/types.h"

#include "loop/arrays.h"
#include "value/typed.h"

#include <algorithm>

namespace unravel::loop {

namespace {

/// Locals in a value that no conversion is between, and none to a part of a complex number.
void each_plain_local(const Value &value, bool has_complex,
                      const std::function<void(const std::string &)> &visit) {
  if (const auto *local = value.as<Local>()) visit(local->name);
  const auto *made = value.as<Value::Apply>();
  if (!made || value::made_by_conversion(made->op) || made->op == value::Operator::RealPart ||
      made->op == value::Operator::ImaginaryPart || (has_complex && value::takes_part(made->op)))
    return;
  for (const Value &argument : made->arguments)
    each_plain_local(argument, has_complex, visit);
}

/// Is it made of numbers alone?
bool is_constant(const Value &value) {
  const std::vector<Value> &parts = parts_of(value);
  return parts.empty() ? value.is<Number>() : std::ranges::all_of(parts, is_constant);
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
  each_array(program, [&](const std::string &name, const ArrayParameter &array, const TensorParameter &) {
    add(name, array.element, array.is_value);
  });
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
  const auto known = [&](const std::string &local) -> std::optional<ElementType> {
    const auto found = locals_.find(local);
    return found == locals_.end() ? std::nullopt : std::optional(found->second);
  };
  const auto of_leaf = [&](const Value &leaf) -> std::optional<ElementType> {
    const auto *local = leaf.as<Local>();
    return local ? known(local->name) : this->of_leaf(leaf);
  };
  each<DeclareValue>(body, [&](const DeclareValue &declared) { give(declared.name, declared.type); });
  for (bool by_use : {true, false})
    for (bool changed = true; changed;) {
      changed = false;
      each_statement(body, [&](const Statement &statement) {
        if (const auto *declared = statement.as<DeclareValue>()) {
          if (!is_constant(declared->initial))
            changed = give(declared->name, value::computed_in(declared->initial, of_leaf)) || changed;
          return;
        }
        const Element *element = written_element(statement);
        const Local *local = written_local(statement);
        if (statement.is<Blas>() || (!element && !local)) return;
        const auto *store = statement.as<Store>();
        const Value &value = store ? store->value : statement.as<Accumulate>()->value;
        const std::optional<ElementType> type = element ? arrays_.at(element->array) : known(local->name);
        if (by_use && type)
          each_plain_local(value, has_complex_,
                           [&](const std::string &name) { changed = give(name, type) || changed; });
        if (local && !by_use) changed = give(local->name, value::computed_in(value, of_leaf)) || changed;
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
  if (leaf.is<term::Term>()) return ElementType::Int64;
  if (const auto *element = leaf.as<Element>()) return of_array(element->array);
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
