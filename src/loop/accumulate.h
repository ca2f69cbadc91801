#pragma once

#include "loop/load.h"
#include "loop/passes.h"

namespace unravel::loop {

/// accumulate_locally for the statements of one block.
void accumulate_locally(Block &block, FreshNames &names, const Safe &safe);

} // namespace unravel::loop
