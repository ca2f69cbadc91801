#pragma once

#include "data/folder.h"
#include "tensor/tensor.h"

namespace unravel::tensor {

/// The tensor that a folder's arrays are, in the given layout (the one that the folder names, loaded). Index
/// arrays are converted to the width wanted, values to the type wanted. The shapes of the arrays and the
/// counts must fit the layout; properties are not looked at: see validate. Throws bad_array_folder (an array,
/// size or count is missing, a shape is wrong), index_width, value_width.
Tensor from_folder(const data::ArrayFolder &folder, const layout::Layout &layout,
                   IndexType index = IndexType::Int32, ValueType value = ValueType::Float64);

/// Throws bad_array_folder where the shape of a folder's array doesn't fit its layout for the tensor's sizes
/// and counts. Value arrays may also be flat. Precondition: the folder has all arrays.
void check_shapes(const data::ArrayFolder &folder, const Tensor &tensor);

/// Whether layout.json names that layout, with its parameters or its order of modes. Layouts in files of the
/// user's own go by their names there.
bool names_layout(const data::ArrayFolder &folder, const layout::Layout &layout);

/// Raw arrays for write_folder. `fill`: what elements are that aren't stored; layout.json says it, unless 0.
data::ArrayFolder to_folder(const Tensor &tensor, double fill = 0);

} // namespace unravel::tensor
