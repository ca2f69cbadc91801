#pragma once

#include "find/planner.h"

namespace unravel::find {

/// Whether keys strictly increase from each value of a loop to the next one, in each of its passes, or from
/// each match of a find to the next one.
struct Rising {
  bool is_proved = false;
  std::string obligation; // "O-rise(A.p)"
  std::string example;    // small arrays for which they don't, where some were found
};

/// `key`: over the variable of the loop or find at that level.
Rising rising(const scan::Nest &nest, std::size_t level, const term::Term &key, const FindPlan &finds,
              prove::Prover &prover);

} // namespace unravel::find
