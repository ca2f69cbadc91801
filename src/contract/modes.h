#pragma once

#include "contract/forest.h"

#include <vector>

namespace unravel::contract {

/// The buffer's indices as its elements are stored: last those that dense factors have last, so that loops
/// over these go through neighbouring elements of all of them.
std::vector<std::size_t> modes_in_order(const Network &network, const Buffer &buffer);

} // namespace unravel::contract
