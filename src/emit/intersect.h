#pragma once

#include "emit/expression.h"
#include "emit/names.h"
#include "loop/loop.h"

#include <string>
#include <vector>

namespace unravel::emit {

/// The C text of an intersection around its body:
///
///     over_blocks { compare  over_hits { take_hit  body }  advance }
///
/// Blocks of 8 keys are compared with blocks of 8 keys, where less is left one with one; the block whose last
/// key is the smaller one is passed.
struct IntersectText {
  std::string over_blocks, over_hits; // heads of loops
  std::vector<std::string> compare, take_hit, advance;
};

IntersectText intersect_text(const loop::Intersect &loop, Names &names, Expressions &expressions);

} // namespace unravel::emit
