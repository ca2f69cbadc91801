#pragma once

#include "pipeline.h"
#include "run/tiling.h"

#include <map>
#include <string>

/// Where a matrix has entries, and the tiles over it, as an inline SVG.
namespace unravel::tool {

/// Of the sparsest operand with two modes, each subscripted by one index. Tiles of these indices lie over it:
/// class "hit" where a point was reached, "miss" where the kernel entered one in vain; what isn't entered has
/// no rectangle. Where the result has entries of its own, or an operand's, it stands behind in a row with the
/// sparse operands, each smaller and without tiles. Says in a paragraph what can't be shown. Throws
/// memory_limit where the entries take more than `max_memory`.
std::string spy_plot(const pipeline::Compilation &compilation, const run::Tiling &tiling,
                     const std::map<std::string, tensor::Tensor> &tensors, std::int64_t max_memory);

} // namespace unravel::tool
