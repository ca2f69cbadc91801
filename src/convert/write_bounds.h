#pragma once

#include "convert/pack.h"

namespace unravel::tensor {

/// The tensor, packed in the layout with pointers, becomes one in the layout itself. Throws index_width.
void write_bounds(Tensor &tensor, const layout::Layout &layout, const std::vector<BoundSegments> &segments,
                  const PackOptions &options);

} // namespace unravel::tensor
