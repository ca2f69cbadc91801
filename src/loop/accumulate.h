#pragma once

#include "loop/load.h"
#include "loop/passes.h"

namespace unravel::loop {

/// accumulate_locally for the statements of one block.
void accumulate_locally(Block &block, FreshNames &names, const Safe &safe);
/// For the loop alone that is statement k, not those inside; returns where it stands then.
std::size_t accumulate_of_loop(Block &block, std::size_t k, FreshNames &names, const Safe &safe);

} // namespace unravel::loop
