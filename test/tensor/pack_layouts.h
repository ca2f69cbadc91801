#pragma once

#include "tensor/layout_text.h"

namespace unravel::tensor {

/// Layouts of a user's own that can be packed, each in one text.
const std::vector<std::string> &user_layouts();

/// All layouts for tensors of an order that the shipped files and user_layouts() have.
std::vector<layout::Layout> layouts_of(std::size_t order);

} // namespace unravel::tensor
