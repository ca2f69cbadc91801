#pragma once

#include "convert/pack.h"

namespace unravel::convert {

/// Chooses each permutation of the plan: sets its array and puts places in place of coordinates. Places are
/// given by falling number of entries that are stored, equal ones by increasing coordinate; within windows,
/// if the plan has them.
void permute(data::Coordinates &entries, tensor::Tensor &tensor, const packing::PiecePlan &plan,
             const PackOptions &options);

} // namespace unravel::convert
