#include "loop/interpret_arrays.h"

#include <algorithm>
#include <new>
#include <tuple>

namespace unravel::loop {

void resize(Array &array) {
  const auto count = static_cast<std::size_t>(array.total);
  try {
    if (array.values)
      array.values->resize(count, static_cast<double>(odd_number));
    else
      array.indices->resize(count, odd_number);
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
