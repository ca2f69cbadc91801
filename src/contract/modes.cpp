#include "contract/modes.h"

#include <algorithm>

namespace unravel::contract {

std::vector<std::size_t> modes_in_order(const Network &network, const Buffer &buffer) {
  std::vector<std::size_t> modes;
  for (std::size_t index = 0; index < network.indices.size(); ++index)
    if (has(buffer.modes, index)) modes.push_back(index);
  std::ranges::stable_sort(modes, {}, [&](std::size_t index) {
    return std::ranges::count_if(network.factors, [&](const Factor &factor) {
      return !factor.is_sparse() && !factor.indices.empty() && factor.indices.back() == index;
    });
  });
  return modes;
}

} // namespace unravel::contract
