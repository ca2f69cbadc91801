#pragma once

#include "convert/entry_tree.h"
#include "convert/pack.h"

/// From one layout's arrays to another's.
namespace unravel::convert {

enum class Route {
  /// Level by level: the order of the source's entries, known from its plan, is one that the target wants.
  Levels,
  /// As Levels, after a counting sort by the target's outermost mode.
  CountingSort,
  /// By unpacking and packing: a list of coordinates lies between.
  Coordinates,
};

/// "direct, level by level" and the like.
std::string to_text(Route route);

struct Conversion {
  tensor::Tensor tensor;
  Route route = Route::Coordinates;
};

struct ConvertOptions {
  PackOptions pack;
  /// Whether the properties of the source's layout hold of its arrays for certain. If not, as where they
  /// were only sampled, the order of its entries is not relied upon.
  bool trust_properties = true;
};

/// The tensor in layout `to`: what pack(to, unpack(from)) gives, without a list of coordinates in between
/// where the plans of both layouts say that none is needed. Integers of 64 bits stay exact where both have
/// such. No layout's name is looked at. Precondition: the tensor is valid (validate.h). Throws what unpack
/// and pack throw: cannot_pack where coordinates can't be packed into `to`.
Conversion convert(const tensor::Tensor &from, const layout::Layout &to, const ConvertOptions &options = {});
/// With plans made before: `scan` is plan_tree(from.layout), or nothing: via coordinates; `plan` is
/// plan_packing(to).
Conversion convert(const tensor::Tensor &from, const std::optional<TreePlan> &scan, const layout::Layout &to,
                   const packing::PackPlan &plan, const PackOptions &options = {});

} // namespace unravel::convert
