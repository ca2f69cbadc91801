// The arrays that bound segments, written from pointers.

#include "convert/pack_levels.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <functional>

namespace unravel::convert {

using layout::Layout;
using packing::BoundSegments;

namespace {

void write_array(Tensor &tensor, const std::string &name, const PackOptions &options,
                 const std::function<std::int64_t(std::size_t)> &element) {
  Elements &array = make_array(tensor, name, options, false);
  for (std::size_t k = 0; k < array.size(); ++k) {
    std::int64_t value = element(k);
    if (value > INT32_MAX)
      check_width(tensor.layout, name, options, value, fmt::format("{} positions", value));
    array.set_integer(k, value);
  }
}

} // namespace

void write_bounds(Tensor &tensor, const Layout &layout, const std::vector<BoundSegments> &segments,
                  const PackOptions &options) {
  auto last_extent = [&](const std::string &name) {
    std::optional<std::int64_t> extent = try_evaluate(tensor.layout.array(name)->extents.back(), tensor);
    return static_cast<std::size_t>(std::max<std::int64_t>(extent.value(), 1));
  };
  std::vector<std::size_t> widths; // of the pointers' rows
  for (const BoundSegments &of : segments)
    widths.push_back(last_extent(of.begin));
  tensor.layout = layout;
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const BoundSegments &of = segments[k];
    Elements pointers = std::move(tensor.array(of.begin));
    std::size_t width = last_extent(of.begin);
    auto pointer = [&](std::size_t e, std::int64_t later) {
      return pointers.integer(e / width * widths[k] + e % width + static_cast<std::size_t>(later));
    };
    write_array(tensor, of.begin, options, [&](std::size_t e) { return pointer(e, 0) - of.begin_offset; });
    if (of.begin == of.end) continue;
    width = last_extent(of.end);
    write_array(tensor, of.end, options, [&](std::size_t e) {
      return pointer(e, of.shift) - (of.is_length ? pointer(e, of.shift - 1) : 0) - of.end_offset;
    });
  }
}

} // namespace unravel::convert
