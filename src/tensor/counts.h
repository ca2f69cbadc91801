#pragma once

#include "tensor/tensor.h"

namespace unravel::tensor {

/// What planning may know of a packed tensor, by the layout's own names: sizes and counts that aren't 0, and
/// for each index array of one dimension the mean distance of neighbours, where it is positive: the mean
/// length of segments if the array holds pointers.
std::map<std::string, double> known_counts(const Tensor &tensor);

} // namespace unravel::tensor
