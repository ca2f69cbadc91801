#pragma once

#include "term/term.h"

#include <vector>

namespace unravel::combine {

/// Slots of an array with these extents as one: the last varies fastest.
inline term::Term row_major(const std::vector<term::Term> &slots, const std::vector<term::Term> &extents) {
  term::Term slot(0);
  for (std::size_t k = 0; k < slots.size(); ++k)
    slot = term::multiply(slot, extents[k]) + slots[k];
  return slot;
}

} // namespace unravel::combine
