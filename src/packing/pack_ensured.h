#pragma once

#include "packing/pack_plan.h"
#include "prove/prover.h"

namespace unravel::packing {

/// What packing by a plan ensures of index arrays, whatever the entries: ranges and order of keys, how unused
/// positions are marked, where segments begin. For proofs that a layout's properties need not be checked.
std::vector<prove::Axiom> ensured_by(const PiecePlan &plan, const layout::Layout &layout);

} // namespace unravel::packing
