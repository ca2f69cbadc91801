#pragma once

#include "lower/lower.h"

/// The statements of a program in the loops that they share.
namespace unravel::lower {

/// A statement, lowered in loops of its own.
struct Part {
  const combine::IterationSpace *space = nullptr;
  const LeafPlan *plan = nullptr;
  loop::Block block;
};

/// The parts, in the order of their places, with the loops that they share made one, and scalar variables
/// declared where all who use them see them. Throws a limit where a shared loop stands under conditions that
/// differ.
loop::Block in_sequence(std::vector<Part> parts);

} // namespace unravel::lower
