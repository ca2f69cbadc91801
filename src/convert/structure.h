#pragma once

#include "convert/pack.h"
#include "tensor/tensor.h"

namespace unravel::convert {

/// A tensor with the structure of another one: `layout` is what layout::structure_of makes of the lender's.
/// Its index arrays are the lender's own memory, its numbers the lender's, its values its own, the fill of
/// `options`. The shape agrees with the lender's in the modes that both have. Throws memory_limit.
tensor::Tensor with_structure_of(const tensor::Tensor &lender, const layout::Layout &layout,
                                 const std::vector<std::int64_t> &shape, const PackOptions &options = {});

/// The tensor with the same index arrays, and values that are copies.
tensor::Tensor with_own_values(const tensor::Tensor &tensor);

} // namespace unravel::convert
