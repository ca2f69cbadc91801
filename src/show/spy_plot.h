#pragma once

#include "pipeline.h"
#include "run/tiling.h"

#include <map>
#include <string>

/// Where a matrix has entries, and the tiles over it, as an inline SVG.
namespace unravel::show {

/// Of the sparsest operand with two modes, each subscripted by one index. Tiles of these indices lie over it:
/// class "hit" where a point was reached, "miss" where the kernel entered one in vain; what isn't entered has
/// no rectangle. Where the result has entries of its own, or an operand's, entries_plot() follows. Says in a
/// paragraph what can't be shown. Throws memory_limit where the entries take more than `max_memory`.
std::string spy_plot(const pipeline::Compilation &compilation, const run::Tiling &tiling,
                     const std::map<std::string, tensor::Tensor> &tensors, std::int64_t max_memory);

/// The sparse operands and results that are matrices, beside each other; empty where there are none.
/// `results`: those that `tensors` hasn't as they became.
std::string entries_plot(const pipeline::Compilation &compilation,
                         const std::map<std::string, tensor::Tensor> &tensors,
                         const std::map<std::string, tensor::Tensor> &results, std::int64_t max_memory);

} // namespace unravel::show
