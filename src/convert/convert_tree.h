#pragma once

#include "convert/entry_tree.h"
#include "convert/pack.h"

/// The parts of conversion without coordinates.
namespace unravel::convert {

/// Do entries in this order (unique or not) come as the plan wants them? Precondition: is_plain(plan).
bool fits_order(const packing::PiecePlan &plan, const std::vector<Step> &steps, bool unique);

/// The order of entries after a stable sort by `first`.
std::vector<Step> steps_after(const std::vector<Step> &steps, const Step &first);

/// The arrays of a layout from a tree whose order fits its plan.
tensor::Tensor convert_levels(const EntryTree &tree, const layout::Layout &layout,
                              const packing::PackPlan &plan, const std::vector<std::int64_t> &shape,
                              const PackOptions &options);

/// The entries sorted by `step`, a mode ascending or descending, otherwise in their order: a tree of one
/// dense level and one of entries, with arrays of its own. Precondition: at least two modes. O(entries +
/// extent of the mode), without comparisons.
EntryTree sorted_by(const EntryTree &tree, const Step &step, const std::vector<std::int64_t> &shape);

} // namespace unravel::convert
