#pragma once

#include "data/coordinates.h"
#include "tensor/tensor.h"

#include <string>

namespace unravel::convert {

/// Throws value_width where the tensor has a value that is no double: an integer of 64 bits beyond 2^53,
/// which entries by coordinates would have rounded. `what` it is and is for: "`--check` compares `A` as
/// doubles"; `hint`: what is exact. O(entries), of integers of 64 bits alone.
void require_exact(const tensor::Tensor &tensor, const std::string &what, const std::string &hint);

/// Throws value_width where the type doesn't hold an entry's value: integers no fraction and nothing beyond
/// their ends (but 2^63, as which their greatest one is read), real numbers no complex one. `what`: who is to
/// hold them, as in "`y.mtx` is to hold". O(entries).
void require_held(const data::Coordinates &entries, value::Type type, const std::string &what);

} // namespace unravel::convert
