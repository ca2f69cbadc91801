#include "tensor/counts.h"

namespace unravel::tensor {

std::map<std::string, double> known_counts(const Tensor &tensor) {
  std::map<std::string, double> counts;
  for (const auto *numbers : {&tensor.sizes, &tensor.counts})
    for (const auto &[name, value] : *numbers)
      if (value > 0) counts[name] = static_cast<double>(value); // of nothing all orders cost the same
  for (const layout::Array &array : tensor.layout.arrays) {
    const Elements &elements = tensor.array(array.name);
    if (array.is_value || array.extents.size() != 1 || elements.size() < 2) continue;
    double range =
        static_cast<double>(elements.integer(elements.size() - 1)) - static_cast<double>(elements.integer(0));
    if (range > 0) counts[array.name] = range / static_cast<double>(elements.size() - 1);
  }
  return counts;
}

} // namespace unravel::tensor
