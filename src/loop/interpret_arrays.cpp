#include "loop/interpret_arrays.h"

#include "loop/assembled.h"

#include <algorithm>
#include <new>
#include <tuple>

namespace unravel::loop {

void bind(const ArrayCode &code, Memory &memory, Array &array) {
  if (!code.is_value) {
    array.indices = look_up(memory.indices, code.name);
    return;
  }
  array.values = look_up(memory.values, code.name);
  if (!value::is_complex(code.element)) return;
  array.imaginary = &memory.imaginary[code.name];
  array.imaginary->resize(array.values->size());
}

void make(const ArrayCode &code, Memory &memory, Array &array) {
  if (!code.is_value) {
    array.indices = &memory.indices[code.name];
    return;
  }
  array.values = &memory.values[code.name];
  if (value::is_complex(code.element)) array.imaginary = &memory.imaginary[code.name];
}

value::Scalar read(const Array &array, ElementType type, std::size_t slot) {
  const double real = (*array.values)[slot];
  if (!array.imaginary) return value::Scalar::of(real, type);
  return {type, real, 0, (*array.imaginary)[slot]};
}

void write(const Array &array, std::size_t slot, const value::Scalar &number) {
  (*array.values)[slot] = number.number();
  if (array.imaginary) (*array.imaginary)[slot] = number.imaginary;
}

void clear(const Array &array, std::int64_t count) {
  const std::int64_t length = std::max<std::int64_t>(0, count);
  std::fill_n(array.values->begin(), length, 0.0);
  if (array.imaginary) std::fill_n(array.imaginary->begin(), length, 0.0);
}

void resize(Array &array) {
  const auto count = static_cast<std::size_t>(array.total);
  try {
    if (array.values)
      array.values->resize(count, static_cast<double>(odd_number));
    else
      array.indices->resize(count, odd_number);
    if (array.imaginary) array.imaginary->resize(count, static_cast<double>(odd_number));
  } catch (const std::bad_alloc &) {
    throw Ended{2};
  }
}

void fill(const ArrayCode &code, const Array &array) {
  const WorkspaceArray &workspace = *code.workspace;
  const std::int64_t odd = workspace.element == ElementType::Bit ? 1 : odd_number;
  const std::int64_t initial = workspace.initial.value_or(odd);
  if (code.is_value)
    std::fill(array.values->begin(), array.values->end(), static_cast<double>(initial));
  else
    std::fill(array.indices->begin(), array.indices->end(), initial);
  if (array.imaginary)
    std::fill(array.imaginary->begin(), array.imaginary->end(),
              workspace.initial ? 0.0 : static_cast<double>(odd));
}

void reserve(const ArrayCode &code, Array &array, std::int64_t least) {
  array.reserved = std::max(array.reserved, least);
  if (code.workspace->hashed || least <= array.total) return;
  if (least > most_in_memory) throw Ended{2};
  array.extents[0] = array.total = least;
  resize(array);
}

void enter(const ArrayCode &code, Array &array, std::int64_t element) {
  if (!code.workspace || !code.workspace->hashed) return;
  array.entered.insert(element);
  if (static_cast<std::int64_t>(array.entered.size()) > array.reserved)
    refuse("the hashed array `{}` has room for {} elements, not for more", code.name, array.reserved);
}

void sort_by_keys(std::vector<std::int64_t> &order, std::vector<std::int64_t> &keys, std::int64_t count) {
  std::vector<std::pair<std::int64_t, std::int64_t>> sorted;
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
    sorted.emplace_back(keys[k], order[k]);
  std::stable_sort(sorted.begin(), sorted.end(), [](auto &a, auto &b) { return a.first < b.first; });
  for (std::size_t k = 0; k < sorted.size(); ++k)
    std::tie(keys[k], order[k]) = sorted[k];
}

} // namespace unravel::loop
