#pragma once

#include "packing/pack_plan.h"

namespace unravel::packing {

/// What a piece over the arrays of a planned one, plan.pieces[number], means of each of its entries. Nothing
/// where that can't be told from an entry's coordinate alone. `layout`: what the plan was made from.
std::optional<Implied> implied_entry(const layout::Piece &piece, const Layout &layout, const PackPlan &plan,
                                     std::size_t number);

} // namespace unravel::packing
