#pragma once

#include "contract/forest.h"

#include <vector>

namespace unravel::contract {

/// The buffer's indices as its elements are stored: last those that dense factors have last, so that loops
/// over these go through neighbouring elements of all of them.
std::vector<std::size_t> modes_in_order(const Network &network, const Buffer &buffer);

/// The last one of such an order; of none, the number of indices.
std::size_t last_mode(const Network &network, Set modes);

} // namespace unravel::contract
