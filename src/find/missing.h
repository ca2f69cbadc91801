#pragma once

#include "find/planner.h"

#include <vector>

/// Properties that the layout of a refused find doesn't have.
namespace unravel::find {

/// A property as the layout language writes it, of which tensor's layout it is, and what it says.
struct Missing {
  std::string text, tensor;
  prove::Axiom axiom;
};

/// Orders of the level's keys in its segment, and that they differ there: what says least comes first. None
/// where the keys aren't arrays' elements at the position, or the segment has no name in the language.
std::vector<Missing> properties_that_may_miss(const scan::Nest &nest, std::size_t level);

} // namespace unravel::find
