#pragma once

#include "convert/pack_levels.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <map>

namespace unravel::convert {

/// Whether sizes of one name are equal.
inline bool fits(const layout::Layout &layout, const std::vector<std::int64_t> &shape) {
  std::map<std::string, std::int64_t> sizes;
  for (std::size_t mode = 0; mode < shape.size(); ++mode)
    if (sizes.emplace(layout.sizes[mode], shape[mode]).first->second != shape[mode]) return false;
  return true;
}

/// Entries like the given ones that a layout can store: those that have a place, with all that its pieces
/// mean by them. `plan`: of the layout, whose sizes the shape fits.
inline data::Coordinates storable(const layout::Layout &layout, packing::PackPlan plan,
                                  data::Coordinates entries, const PackOptions &options = {}) {
  tensor::Tensor sizes;
  sizes.layout = layout;
  for (std::size_t mode = 0; mode < layout.order(); ++mode)
    sizes.sizes[layout.sizes[mode]] = entries.shape[mode];
  data::Coordinates placed(entries.shape);
  for (const packing::PiecePlan &piece : plan.pieces) {
    data::Coordinates own = take_entries(entries, sizes, piece);
    if (piece.value.empty()) {
      sort(own, data::natural_modes(own.order()));
      combine_duplicates(own);
      std::fill(own.value.begin(), own.value.end(), piece.literal);
    }
    for (std::size_t e = 0; e < own.size(); ++e)
      placed.append(own.coordinate(e), own.value[e]);
  }
  plan.compared = false;
  // Where it isn't one entry alone that is in the way, some of them.
  for (;;) {
    try {
      tensor::Tensor packed = pack(layout, plan, placed, options);
      return layout.pieces.size() > 1 ? unpack(packed, options.max_memory) : placed;
    } catch (const report::Error &error) {
      if (error.diagnostic().kind != report::Kind::not_storable || placed.size() == 0) throw;
      placed.resize(placed.size() / 2);
    }
  }
}

} // namespace unravel::convert
