// Unpacking: the arrays of a layout to coordinates, by a plan or by a scan of the relation.
#include "check/entry_scan.h"
#include "convert/pack.h"
#include "report/diagnostic.h"

#include <complex>
#include <fmt/format.h>

namespace unravel::convert {

using data::Coordinates;
using packing::PiecePlan;
using report::Kind;
using tensor::Tensor;

Coordinates unpack(const Tensor &tensor, std::int64_t max_memory) {
  if (std::optional<PiecePlan> plan = packing::plan_scan(tensor.layout))
    return unpack_by_plan(tensor, *plan, max_memory);
  return unpack_by_scan(tensor, max_memory);
}

Coordinates unpack_by_scan(const Tensor &tensor, std::int64_t max_memory) {
  Coordinates result(tensor.shape());
  const bool is_complex = has_complex_values(tensor);
  std::int64_t max_entries =
      max_memory / (8 * (static_cast<std::int64_t>(tensor.layout.order()) + 1 + is_complex));
  auto append = [&](const std::vector<std::int64_t> &coordinate, std::complex<double> value) {
    for (std::size_t mode = 0; mode < coordinate.size(); ++mode)
      result.index[mode].push_back(coordinate[mode]);
    result.value.push_back(value.real());
    if (is_complex) result.imaginary.push_back(value.imag());
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
