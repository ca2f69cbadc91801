#pragma once

#include "tensor/tensor.h"

namespace unravel::tensor {

/// What planning may know of a packed tensor, by the layout's own names: sizes and counts that aren't 0, and
/// for each index array of one dimension the mean distance of neighbours, where it is positive: the mean
/// length of segments if the array holds pointers; "rowptr.single", 1, where each of a sample of these has one
/// position. Of an array of keys that such pointers cut into segments
/// also the reach of a segment, "col.reach": which part of the keys' range lies between its first key and its
/// last one, on average over a sample of segments. And the number of stored entries by a name that is none of
/// the layout's.
std::map<std::string, double> known_counts(const Tensor &tensor);
inline constexpr const char *stored_entries = "*";

/// Puts them into counts of several tensors, as "A.NNZ".
void put_counts(const std::string &name, const Tensor &tensor, std::map<std::string, double> &counts);

} // namespace unravel::tensor
