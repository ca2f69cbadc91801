#include "tensor/counts.h"

#include <algorithm>
#include <optional>

namespace unravel::tensor {

using data::Elements;

namespace {

constexpr std::size_t most_sampled = 1000;

bool is_index_vector(const layout::Array &array) {
  return !array.is_value && array.extents.size() == 1;
}

/// Whether the pointers begin at the first of so many keys and end behind the last one.
bool cuts(const Elements &pointers, std::size_t keys) {
  return pointers.size() >= 2 && pointers.integer(0) == 0 &&
         pointers.integer(pointers.size() - 1) == static_cast<std::int64_t>(keys);
}

std::optional<double> mean_reach(const Elements &pointers, const Elements &keys) {
  const std::size_t segments = pointers.size() - 1;
  const std::size_t step = (segments + most_sampled - 1) / most_sampled;
  double reached = 0;
  std::size_t sampled = 0;
  std::int64_t least = keys.integer(0), greatest = least;
  for (std::size_t k = 0; k < segments; k += step, ++sampled) {
    const std::int64_t begin = pointers.integer(k), end = pointers.integer(k + 1);
    if (begin < 0 || end > static_cast<std::int64_t>(keys.size())) return std::nullopt;
    if (end <= begin) continue;
    const std::int64_t first = keys.integer(static_cast<std::size_t>(begin));
    const std::int64_t last = keys.integer(static_cast<std::size_t>(end) - 1);
    if (last < first) return std::nullopt; // not in order
    reached += static_cast<double>(last - first + 1);
    least = std::min(least, first), greatest = std::max(greatest, last);
  }
  return reached / static_cast<double>(sampled) / static_cast<double>(greatest - least + 1);
}

/// Is each of a sample of numbers its own place, and the last one too?
bool are_places(const Elements &numbers) {
  const std::size_t step = (numbers.size() + most_sampled - 1) / most_sampled;
  for (std::size_t k = 0; k < numbers.size(); k += step)
    if (numbers.integer(k) != static_cast<std::int64_t>(k)) return false;
  return numbers.integer(numbers.size() - 1) == static_cast<std::int64_t>(numbers.size() - 1);
}

} // namespace

std::map<std::string, double> known_counts(const Tensor &tensor) {
  std::map<std::string, double> counts;
  if (tensor.entries() > 0) counts[stored_entries] = static_cast<double>(tensor.entries());
  for (const auto *numbers : {&tensor.sizes, &tensor.counts})
    for (const auto &[name, value] : *numbers)
      if (value > 0) counts[name] = static_cast<double>(value); // of nothing all orders cost the same
  for (const layout::Array &array : tensor.layout.arrays) {
    const Elements &elements = tensor.array(array.name);
    if (!is_index_vector(array) || elements.size() < 2) continue;
    double range =
        static_cast<double>(elements.integer(elements.size() - 1)) - static_cast<double>(elements.integer(0));
    if (range > 0) counts[array.name] = range / static_cast<double>(elements.size() - 1);
    for (const layout::Array &other : tensor.layout.arrays) {
      const Elements &pointers = tensor.array(other.name);
      if (other.name == array.name || !is_index_vector(other) || !cuts(pointers, elements.size())) continue;
      if (std::optional<double> reach = mean_reach(pointers, elements))
        counts[array.name + ".reach"] = *reach;
      if (are_places(pointers)) counts[other.name + ".single"] = 1;
    }
  }
  return counts;
}

void put_counts(const std::string &name, const Tensor &tensor, std::map<std::string, double> &counts) {
  for (const auto &[count, value] : known_counts(tensor))
    counts[name + "." + count] = value;
}

} // namespace unravel::tensor
