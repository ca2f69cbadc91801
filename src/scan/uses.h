#pragma once

#include "combine/space.h"
#include "scan/nest.h"

#include <set>
#include <string>

namespace unravel::scan {

/// The positions that are found only to read one operand's value at them: nothing else in the nest, no other
/// operand and not the result mentions them. A map may then hold the values themselves.
std::set<std::string> value_positions(const combine::IterationSpace &space, const Nest &nest);

} // namespace unravel::scan
