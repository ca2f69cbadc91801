#include "run/stored_values.h"

#include "check/operand_entries.h"
#include "convert/pack.h"

#include <algorithm>
#include <cmath>

namespace unravel::run {

namespace {

bool is_finite(const data::Elements &values) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values.real(k)) || !std::isfinite(values.imaginary(k))) return false;
  return true;
}

std::vector<const data::Elements *> values_of(const tensor::Tensor &tensor) {
  std::vector<const data::Elements *> values;
  for (const layout::Array &array : tensor.layout.arrays)
    if (array.is_value) values.push_back(&tensor.array(array.name));
  return values;
}

bool is_finite(const tensor::Tensor &tensor) {
  return std::ranges::all_of(values_of(tensor),
                             [](const data::Elements *values) { return is_finite(*values); });
}

bool has_zero(const tensor::Tensor &tensor) {
  return std::ranges::any_of(values_of(tensor), [](const data::Elements *values) {
    for (std::size_t k = 0; k < values->size(); ++k)
      if (values->real(k) == 0 && values->imaginary(k) == 0) return true;
    return false;
  });
}

template <class Asked>
bool any_read(const compute::Program &program, const std::map<std::string, tensor::Tensor> &tensors,
              const Asked &asked) {
  bool found = false;
  const auto visit = [&](const compute::Access &read, value::Role role) {
    const auto tensor = tensors.find(read.tensor);
    found = found || (tensor != tensors.end() && asked(tensor->second, role));
  };
  for (const compute::Statement &statement : program.statements)
    value::each_role<compute::Access>(statement.value, visit);
  return found;
}

bool has_each_once(data::Coordinates entries) {
  const std::vector<std::size_t> modes = data::natural_modes(entries.order());
  data::sort(entries, modes);
  return data::is_sorted(entries, modes, true);
}

/// What statements read where nothing is stored.
bool has_infinite_fill(const compute::Program &program) {
  bool found = false;
  for (const compute::Statement &statement : program.statements)
    compute::each_read(statement, [&](const compute::Access &read) {
      found = found || !std::isfinite(read.fill_or_zero());
    });
  return found;
}

} // namespace

bool has_special_values(const compute::Program &program,
                        const std::map<std::string, tensor::Tensor> &tensors) {
  return any_read(program, tensors,
                  [](const tensor::Tensor &tensor, value::Role) { return !is_finite(tensor); });
}

bool has_zero_divisor(const compute::Program &program, const std::map<std::string, tensor::Tensor> &tensors) {
  return any_read(program, tensors, [](const tensor::Tensor &tensor, value::Role role) {
    return role == value::Role::Divisor && has_zero(tensor);
  });
}

bool meets_special_values(const compute::Program &program,
                          const std::map<std::string, tensor::Tensor> &tensors) {
  return has_special_values(program, tensors) || has_infinite_fill(program) ||
         has_zero_divisor(program, tensors) ||
         std::ranges::any_of(program.statements, [&](const compute::Statement &statement) {
           const auto result = tensors.find(statement.target.tensor);
           return result != tensors.end() && !is_finite(result->second);
         });
}

bool asks_what_is_stored(const compute::Program &program) {
  return std::ranges::any_of(program.statements, [](const compute::Statement &statement) {
    return statement.product || !statement.masks.empty();
  });
}

data::Coordinates with_slots_of(const data::Coordinates &stored, data::Coordinates entries) {
  check::Entries given(entries, value::Type::Float64);
  std::vector<std::size_t> others; // of those stored
  for (std::size_t e = 0; e < stored.size(); ++e)
    if (given.find(stored.coordinate(e).data()) == check::Entries::none) others.push_back(e);
  entries.in_halves = entries.in_halves || stored.in_halves; // others are their own low halves
  for (std::size_t e : others)
    entries.append(stored.coordinate(e), stored.value[e], stored.imaginary_of(e));
  return entries;
}

void round_as_stored(data::Coordinates &entries, const tensor::Tensor &stored) {
  const std::vector<const data::Elements *> values = values_of(stored);
  const auto is_single = [](const data::Elements *elements) {
    return value::type_of_parts(elements->type()) == value::Type::Float32;
  };
  if (values.empty() || !std::ranges::all_of(values, is_single)) return;
  const std::vector<std::size_t> modes = data::natural_modes(entries.order());
  if (!data::is_sorted(entries, modes, true) && !has_each_once(entries) &&
      has_each_once(convert::unpack(stored))) {
    data::sort(entries, modes);
    data::combine_duplicates(entries);
  }
  for (std::vector<double> *parts : {&entries.value, &entries.imaginary})
    for (double &value : *parts)
      value = static_cast<float>(value);
}

} // namespace unravel::run
