#pragma once

#include "lower/lower.h"

/// What statements were made for, as their origins say (lower.h).
namespace unravel::lower {

loop::Origin main_plan(std::size_t leaf);

/// Statements that have no origin yet have that one, in the block and inside.
loop::Block with_origin(loop::Block block, const loop::Origin &origin);

/// The loops that statements of a program share, and the conditions around a statement's part of them, were
/// put there for the innermost level whose variable they are about, of each statement inside.
/// The declaration of a scalar variable was put there for the first statement that sets it.
void set_shared_origins(loop::Block &block, const std::vector<LeafPlan> &plans,
                        const std::vector<combine::IterationSpace> &statements);

} // namespace unravel::lower
