// Conversion between layouts: which way, and the way through coordinates.
#include "tensor/convert.h"

namespace unravel::tensor {

std::string to_text(Route route) {
  switch (route) {
  case Route::Levels: return "direct, level by level";
  case Route::CountingSort: return "direct, by a counting sort";
  case Route::Coordinates: return "via coordinates";
  }
  return "";
}

Conversion convert(const Tensor &from, const layout::Layout &to, const ConvertOptions &options) {
  PackPlan plan = plan_packing(to);
  Conversion result;
  result.tensor = pack(to, plan, unpack(from, options.pack.max_memory), options.pack);
  return result;
}

} // namespace unravel::tensor
