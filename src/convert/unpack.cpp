// Unpacking: the arrays of a layout to coordinates, by a plan or by a scan of the relation.
#include "check/entry_scan.h"
#include "convert/complex.h"
#include "convert/pack.h"
#include "convert/unpack_plan.h"
#include "report/diagnostic.h"

#include <fmt/format.h>

namespace unravel::convert {

using data::Coordinates;
using packing::PiecePlan;
using report::Kind;
using tensor::Tensor;

Coordinates unpack(const Tensor &tensor, std::int64_t max_memory) {
  if (has_complex_values(tensor)) return unpack_complex(tensor, max_memory);
  if (std::optional<PiecePlan> plan = packing::plan_scan(tensor.layout))
    return unpack_by_plan(tensor, *plan, max_memory);
  return unpack_by_scan(tensor, max_memory);
}

Coordinates unpack_by_scan(const Tensor &tensor, std::int64_t max_memory) {
  Coordinates result(tensor.shape());
  std::int64_t max_entries = max_memory / (8 * (static_cast<std::int64_t>(tensor.layout.order()) + 1));
  auto append = [&](const std::vector<std::int64_t> &coordinate, double value) {
    result.append(coordinate, value);
    return static_cast<std::int64_t>(result.size()) <= max_entries;
  };
  for (const layout::Piece &piece : tensor.layout.pieces)
    if (!check::scan_piece(tensor, piece, append))
      report::fail(Kind::memory_limit,
                   fmt::format("the entries of layout `{}` take more memory than the {} allowed",
                               tensor.layout.name, data::memory_text(max_memory)),
                   "raise the limit with --max-memory");
  return result;
}

} // namespace unravel::convert
