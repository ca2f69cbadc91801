#pragma once

#include "loop/loop.h"

#include <string>
#include <vector>

/// Kernels that list results, which a function around them packs.
namespace unravel::emit {

/// The function with the prototype that emit_header gives for `whole`: it calls the kernel of `lists`, which
/// differs from `whole` in the layouts of results, and packs each list by the pack function of its struct
/// type (packing::emit_pack_c); all of these stand in front. It has a workspace for each call. Its result is
/// the kernel's, or 4 too where the layout has no place for an entry.
///
/// A list has a position per entry: one array of 64-bit integers for each mode, in their order, and one of
/// their values; the only count is their length. `modes`: of each result that is packed, by its number among
/// the parameters, the size of each of its modes. `drops_zeros`: entries of one coordinate are added up
/// before, and those that come to 0 left out.
struct PackedResult {
  std::size_t parameter = 0;
  std::vector<std::string> modes;
  bool drops_zeros = false;
};
std::string emit_packing(const loop::Program &whole, const loop::Program &lists,
                         const std::vector<PackedResult> &packed);

} // namespace unravel::emit
