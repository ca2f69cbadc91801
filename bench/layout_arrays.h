#pragma once

#include "tensor/coordinates.h"
#include "tensor/tensor.h"

#include <string>

/// Matrices in layouts that packing doesn't derive yet, by hand.
namespace unravel::bench {

/// The matrix in the layout: "ell", "sell<S>", "symmetric_csr" (its lower triangle is stored) here, any other
/// one by pack_as.
tensor::Tensor pack_by_hand(const std::string &layout, const tensor::Coordinates &matrix);

} // namespace unravel::bench
