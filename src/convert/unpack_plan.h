#pragma once

#include "data/coordinates.h"
#include "packing/pack_plan.h"
#include "tensor/tensor.h"

namespace unravel::convert {

/// The entries of a tensor by the plan that packs its layout: level by level, an order of magnitude faster
/// than following the relation. Throws outside_array where pointers or indices lead outside.
data::Coordinates unpack_by_plan(const tensor::Tensor &tensor, const packing::PiecePlan &plan,
                                 std::int64_t max_memory);

/// The entries of a tensor of any layout, by nested loops over what its relation says. Throws outside_array,
/// cannot_unpack.
data::Coordinates unpack_by_scan(const tensor::Tensor &tensor, std::int64_t max_memory);

} // namespace unravel::convert
