#include "lower/origins.h"

#include "loop/walk.h"

namespace unravel::lower {

using loop::Block;
using loop::Statement;

loop::Origin main_plan(std::size_t leaf) {
  return {static_cast<int>(leaf), 0, 0};
}

std::string comment(const scan::Level &here) {
  return here.tensor.empty() ? "" : "positions of " + here.tensor;
}

Block with_origin(Block block, const loop::Origin &origin) {
  for (Statement &statement : block) {
    if (statement.origins.empty()) statement.origins = {origin};
    for (Block *inner : loop::blocks_of(statement))
      *inner = with_origin(std::move(*inner), origin);
  }
  return block;
}

} // namespace unravel::lower
