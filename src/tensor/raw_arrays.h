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

/// The layout of a folder's arrays: as an option says it, `text`, with the folder's fill where that says
/// none; as layout.json does where it is empty. `option`: for messages. Throws syntax errors.
std::string reference_to(const data::ArrayFolder &folder, const std::string &option, const std::string &text);

/// The same of a file of entries, which may say its fill (data::fill_in); `type`: of its values. Throws
/// bad_option where `text` has another fill.
std::string reference_to_file(const std::string &path, const std::string &option, const std::string &text,
                              value::Type type);

/// The type that a folder's fill is of: the one that layout.json says, or else that its values have.
value::Type type_of_fill(const data::ArrayFolder &folder, const layout::Layout &layout);

/// Whether layout.json names that layout, with its parameters or its order of modes, and no other fill.
/// Layouts in files of the user's own go by their names there. `fill`: in `type`, which values are wanted in.
bool names_layout(const data::ArrayFolder &folder, const layout::Layout &layout, double fill,
                  value::Type type);

/// What elements are that aren't stored, as layout.json says, in the type of the folder's values. None: it
/// says nothing.
std::optional<double> fill_of(const data::ArrayFolder &folder, const layout::Layout &layout);

/// Raw arrays for write_folder. `fill`: what elements are that aren't stored; layout.json says it, unless 0.
data::ArrayFolder to_folder(const Tensor &tensor, double fill = 0);

} // namespace unravel::tensor
