#pragma once

#include "convert/pack.h"

namespace unravel::convert {

/// The tensor, packed in the layout with pointers, becomes one in the layout itself. Throws index_width.
void write_bounds(tensor::Tensor &tensor, const layout::Layout &layout,
                  const std::vector<packing::BoundSegments> &segments, const PackOptions &options);

} // namespace unravel::convert
