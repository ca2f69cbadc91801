#pragma once

#include "convert/pack.h"

/// Complex values in layouts: packing and unpacking know real numbers, which stand for them.
namespace unravel::convert {

/// Are the values of the layout complex, of which the options say the type where it doesn't?
bool has_complex_values(const layout::Layout &layout, tensor::ValueType open);
bool has_complex_values(const tensor::Tensor &tensor);

/// As pack() and unpack(), of such layouts and tensors. Entries of equal coordinates are added up first. Time
/// and memory: as of real values, and a sort of the different values.
tensor::Tensor pack_complex(const layout::Layout &layout, const packing::PackPlan &plan,
                            data::Coordinates coordinates, const PackOptions &options);
data::Coordinates unpack_complex(const tensor::Tensor &tensor, std::int64_t max_memory);

} // namespace unravel::convert
