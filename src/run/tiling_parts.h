#pragma once

#include "run/tiling.h"

/// What describing a tiling and counting it share.
namespace unravel::run {

/// Lower and upper bound of a variable, inclusive, over sizes and counts.
struct Bounds {
  term::Term lower, upper;
};

/// What the space says of these variables, sizes and counts alone.
std::vector<term::Term> shadow(const combine::IterationSpace &space, const std::vector<std::string> &kept);

/// None: it has no such bounds.
std::optional<Bounds> bounds_of(const combine::IterationSpace &space, const std::string &variable);

/// Does the kernel's loop over the variable go on where the first of its walks stands (lower/jump.h)?
bool jumps(const loop::Program &program, const std::string &variable);

TilingLeaf describe_leaf(const pipeline::Compilation &compilation, std::size_t index,
                         const plan::LeafPlan &plan);

/// Without counts.
std::vector<TileLoop> tile_loops(const pipeline::Compilation &compilation,
                                 const std::vector<TilingLeaf> &leaves);

/// Throws bad_transformation where the schedule added no variable.
void require_transformation(const pipeline::Compilation &compilation);

} // namespace unravel::run
