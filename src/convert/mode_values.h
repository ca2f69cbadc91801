#pragma once

#include "data/coordinates.h"
#include "packing/pack_plan.h"
#include "tensor/tensor.h"

/// The modes of a plan for the sizes and entries of a tensor.
namespace unravel::convert {

/// Least value and number of values of a mode for the sizes of a tensor. Throws not_storable where 64 bits
/// don't suffice.
struct ModeRange {
  std::int64_t least = 0;
  std::int64_t size = 0;
};
ModeRange range_of(const packing::Mode &mode, const tensor::Tensor &tensor);

/// The entries by the modes of a plan, each counted from its least value. Entries of a run become one; those
/// with equal coordinates are added up first then.
data::Coordinates to_modes(data::Coordinates entries, const packing::PiecePlan &plan,
                           const tensor::Tensor &tensor);

/// The way back: `entries` has the plan's modes, counted from their least values, and any values, also none.
/// `kept` are the entries that lie inside the tensor.
data::Coordinates from_modes(const data::Coordinates &entries, const packing::PiecePlan &plan,
                             const tensor::Tensor &tensor, std::vector<std::size_t> &kept);

} // namespace unravel::convert
