#pragma once

#include "combine/space.h"
#include "plan/leaf.h"
#include "prove/prover.h"

#include <string>
#include <vector>

/// Which arrays the iterations of a loop read in segments of their own, so that these can be copied in
/// another order of the iterations.
namespace unravel::choose {

/// Or why there are none.
struct Packing {
  std::vector<plan::PackedSegment> segments;
  std::string problem; // "`L.p` is more than a place in its segment"
};

/// Of the outermost loop of the leaves [first, last). A segment is the range of a position, of a loop or a
/// find: its bounds are applications over the loop's variable, and it begins where that of the next or the
/// last iteration ends. Proved: no segment ends before it begins, all lie within the arrays. Arrays are read
/// at such a position alone, and it is good for nothing else, so that only its distance to the segment's
/// begin matters. Finds in segments go through them from one end, or bisect them (find/plan.h), and so touch
/// nothing outside.
Packing packed_segments(const combine::Combination &program, const std::vector<const plan::LeafPlan *> &plans,
                        std::size_t first, std::size_t last, prove::Prover &prover);

} // namespace unravel::choose
