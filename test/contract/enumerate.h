#pragma once

#include "contract/forest.h"

#include <functional>

/// All loop nest forests of a small product: the judge of the search.
namespace unravel::contract::test {

/// Calls visit for each: contractions of any two tensors that are left, in any order, each term's loops in
/// any order that keeps what is stored, neighbours in common loops or not. `joined`: only terms that buffers
/// join share loops. Returns how many there were.
std::size_t each_forest(const Network &network, bool joined,
                        const std::function<void(const Forest &)> &visit);

} // namespace unravel::contract::test
