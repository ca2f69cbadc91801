#include "contract/modes.h"

#include <algorithm>

namespace unravel::contract {

namespace {

/// How many dense factors have it last.
std::ptrdiff_t factors_with_last(const Network &network, std::size_t index) {
  return std::ranges::count_if(network.factors, [&](const Factor &factor) {
    return !factor.is_sparse() && !factor.indices.empty() && factor.indices.back() == index;
  });
}

} // namespace

std::vector<std::size_t> modes_in_order(const Network &network, const Buffer &buffer) {
  std::vector<std::size_t> modes;
  for (std::size_t index = 0; index < network.indices.size(); ++index)
    if (has(buffer.modes, index)) modes.push_back(index);
  std::ranges::stable_sort(modes, {}, [&](std::size_t index) { return factors_with_last(network, index); });
  return modes;
}

std::size_t last_mode(const Network &network, Set modes) {
  std::size_t last = network.indices.size();
  std::ptrdiff_t most = 0;
  for (std::size_t index = 0; index < network.indices.size(); ++index) {
    if (!has(modes, index)) continue;
    const std::ptrdiff_t factors = factors_with_last(network, index);
    if (factors >= most) most = factors, last = index;
  }
  return last;
}

} // namespace unravel::contract
