#pragma once

#include "packing/pack_plan.h"

#include <vector>

/// Segments that two arrays bound, as begin(r) <= p < end(r). Packing lays segments out one after the other,
/// so that one array of pointers tells them: plans are made for the layout with pointers in their place, and
/// both arrays are written from these in the end.
namespace unravel::packing {

/// The pairs of arrays that bound positions in the layout's pieces. Throws cannot_pack where an array bounds
/// segments in two ways, and where the two have extents that don't go together.
std::vector<BoundSegments> bound_segments_of(const layout::Layout &layout);

/// The layout told by pointers: an array of pointers has the name of the segments' begins, and as many
/// elements as needed for their ends.
layout::Layout with_pointers(layout::Layout layout, const std::vector<BoundSegments> &segments);

/// As in begin(r) <= p < end(r): what the segments of these pointers are bounded by, or null.
const BoundSegments *segments_with(const std::vector<BoundSegments> &segments, const std::string &pointer);

} // namespace unravel::packing
