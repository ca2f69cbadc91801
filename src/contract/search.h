#pragma once

#include "contract/forest.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

/// The cheapest loop nest forests of a product, by dynamic programming over the sets of its factors and of
/// the loops that are opened.
namespace unravel::contract {

struct SearchOptions {
  Price price;
  std::size_t plans = 1; // so many of the best that differ in their contractions or their buffers
  /// No buffer has more elements.
  double most_elements = 1 << 27;
  /// What costs as much needn't be found.
  double less_than = std::numeric_limits<double>::infinity();
  /// Steps of the search, about a million in a second. Where they are spent, trees are left out, the most
  /// expensive ones first.
  std::int64_t budget = 1000000;
  /// Asked now and then: does the search end as if its steps were spent?
  std::function<bool()> is_spent = {};
};

struct Plan {
  Forest forest;
  double cost = 0;
};

struct Found {
  std::vector<Plan> plans; // the cheapest first; the same for the same network
  bool is_complete = true; // else there may be cheaper ones: there were too many trees to try all
};

/// Contractions are of two factors or intermediate results. A term shares loops with those that it has its
/// buffers from; loops that stored order forbids are not there (Network::in_order).
/// Precondition: two factors or more, at most most_factors, and at most most_indices indices.
Found search(const Network &network, const SearchOptions &options);

/// The forest in which all factors are multiplied in the innermost loop.
Forest as_written(const Network &network);

} // namespace unravel::contract
