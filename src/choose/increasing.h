#pragma once

#include "combine/space.h"
#include "plan/leaf.h"
#include "prove/prover.h"

#include <optional>

namespace unravel::choose {

/// The level that gives the result's first coordinate, which ends at `end`, a value that increases in the
/// outermost loop; a dense position, which does so anyway, is none.
std::optional<std::size_t> increasing_level(const plan::LeafPlan &plan, const combine::IterationSpace &space,
                                            const term::Term &end, prove::Prover &prover);

} // namespace unravel::choose
