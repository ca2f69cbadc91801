#pragma once

#include "lower/lower.h"

#include <functional>

/// The statements of a program in the loops that they share.
namespace unravel::lower {

/// A statement, lowered in loops of its own.
struct Part {
  const combine::IterationSpace *space = nullptr;
  const LeafPlan *plan = nullptr;
  loop::Block block;
  bool in_wavefronts = false; // the outermost loop is
  loop::Block before = {};    // what stands in front of it, outside of all loops
};

/// Lower and upper bounds of loops over one variable.
struct Range {
  term::Term lower, upper;
};

/// What a loop must run over that stands for all of these.
Range range_of_all(const std::vector<Range> &ranges);

/// The parts, in the order of their places, with the loops that they share made one, and scalar variables
/// declared where all who use them see them. Throws a limit where a shared loop stands under conditions that
/// differ.
/// `in_wavefronts` makes of the outermost loop of parts that ask for it, whatever stands in its place.
using Replace = std::function<loop::Block(loop::For)>;
loop::Block in_sequence(std::vector<Part> parts, const Replace &in_wavefronts = {});

} // namespace unravel::lower
