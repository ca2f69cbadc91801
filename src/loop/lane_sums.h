#pragma once

#include "loop/loop.h"

#include <optional>

namespace unravel::loop {

/// A loop over positions around one over lanes: each lane adds to an element of its own, the same in all
/// iterations of the outer loop, as the rows of a slice do. The sums may be kept elsewhere, one per lane, and
/// be added to the elements after the loop, from the first lane on.
struct LaneSums {
  const For *lanes = nullptr;      // all of the body, behind Lets; of constant length
  const Accumulate *sum = nullptr; // its only statement that changes anything outside
  std::int64_t length = 0;
  term::Term slot; // of the element, over the lane's variable and what is declared outside of both loops
};

/// The most lanes: a few vectors.
constexpr std::int64_t most_lanes = 64;

/// Whether the loop is such a nest: it changes nothing else that is declared outside, and reads nothing of
/// the array that it adds to. That all the elements exist, also where the outer loop has no iteration, is not
/// asked.
std::optional<LaneSums> lane_sums(const For &loop);

} // namespace unravel::loop
