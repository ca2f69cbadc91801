#include "loop/arrays.h"

#include "text/contains.h"

#include <algorithm>

namespace unravel::loop {

using term::Term;

void each_array(const Program &program,
                const std::function<void(const std::string &name, const ArrayParameter &array,
                                         const TensorParameter &parameter)> &visit) {
  for (const TensorParameter &parameter : program.parameters)
    for (const ArrayParameter &array : parameter.arrays)
      visit(parameter.name + "." + array.name, array, parameter);
}

const ArrayParameter *find_array(const std::string &name, const Program &program) {
  for (const TensorParameter &parameter : program.parameters)
    if (name.starts_with(parameter.name + "."))
      for (const ArrayParameter &array : parameter.arrays)
        if (name.compare(parameter.name.size() + 1, std::string::npos, array.name) == 0) return &array;
  return nullptr;
}

const WorkspaceArray *find_workspace(const std::string &name, const Program &program) {
  const auto found = std::ranges::find(program.workspace, name, &WorkspaceArray::name);
  return found == program.workspace.end() ? nullptr : &*found;
}

std::set<std::string> sizes_of(const Program &program) {
  std::set<std::string> names;
  for (const TensorParameter &parameter : program.parameters)
    for (const auto *list : {&parameter.sizes, &parameter.counts})
      for (const std::string &name : *list)
        names.insert(parameter.name + "." + name);
  return names;
}

bool is_over_sizes(const Term &term, const Program &program) {
  const auto is_size = [&](const std::string &name) {
    return contains(program.sizes, name) ||
           std::ranges::any_of(program.parameters, [&](const auto &parameter) {
             if (!name.starts_with(parameter.name + ".")) return false;
             const std::string_view own = std::string_view(name).substr(parameter.name.size() + 1);
             return contains(parameter.sizes, own) || contains(parameter.counts, own);
           });
  };
  return applications_of(term).empty() && std::ranges::all_of(variables_of(term), is_size);
}

Term slots_of(const ArrayParameter &array) {
  Term all(1);
  for (const Term &extent : array.extents)
    all = term::multiply(all, extent);
  return all;
}

std::optional<Term> slots_of(const std::string &name, const Program &program) {
  if (const ArrayParameter *array = find_array(name, program)) return slots_of(*array);
  const WorkspaceArray *array = find_workspace(name, program);
  return array ? std::optional(array->extent) : std::nullopt;
}

std::optional<ElementType> element_type(const std::string &name, const Program &program) {
  if (const ArrayParameter *array = find_array(name, program)) return array->element;
  const WorkspaceArray *array = find_workspace(name, program);
  return array ? std::optional(array->element) : std::nullopt;
}

int mentions_of(const Block &block, const std::string &array) {
  int count = 0;
  each_statement(block, [&](const Statement &statement) {
    each_own_value(statement, [&](const Value &value) {
      each_element(value, [&](const Element &element) { count += element.array == array; });
    });
    const auto *ahead = statement.as<Prefetch>();
    const Element *written = written_element(statement);
    count += (ahead && ahead->array == array) ||
             (written ? written->array == array
                      : blocks_of(statement).empty() && effects_of(statement).touches(array));
  });
  return count;
}

bool is_serial(const For &loop) {
  return loop.step == 1 && !loop.parallel && loop.together == 1 && !loop.team;
}

bool is_plain(const For &loop) {
  return is_serial(loop) && !loop.simd && !loop.masked && !loop.in_lanes;
}

bool runs_along(const Term &slot, const std::string &variable) {
  return !mentions(slot - term::variable(variable), variable);
}

std::optional<Term> stride_of(const Term &slot, const std::string &variable) {
  if (!mentions(slot, variable)) return Term(0);
  if (slot.as<term::Variable>()) return Term(1);
  if (const auto *product = slot.as<term::Product>()) {
    const bool in_left = mentions(product->left, variable);
    if (in_left && mentions(product->right, variable)) return std::nullopt;
    const std::optional<Term> stride = stride_of(in_left ? product->left : product->right, variable);
    if (!stride) return std::nullopt;
    return term::multiply(*stride, in_left ? product->right : product->left);
  }
  const auto *sum = slot.as<term::Linear>();
  if (!sum) return std::nullopt;
  Term total(0);
  for (const auto &[part, coefficient] : sum->parts) {
    const std::optional<Term> stride = stride_of(part, variable);
    if (!stride) return std::nullopt;
    total = total + term::scale(coefficient, *stride);
  }
  return total;
}

} // namespace unravel::loop
