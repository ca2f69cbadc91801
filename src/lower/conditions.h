#pragma once

#include "loop/loop.h"

namespace unravel::lower {

/// What is done where all of the conditions hold.
inline loop::Block where(std::vector<term::Term> conditions, loop::Block block) {
  if (conditions.empty()) return block;
  return {{loop::If{term::conjunction(std::move(conditions)), std::move(block), ""}}};
}

} // namespace unravel::lower
