#pragma once

#include "combine/space.h"
#include "scan/scan.h"

#include <map>
#include <string>

namespace unravel::scan {

/// What a position that is found is needed for, besides to tell that there is one.
enum class Need {
  Position,
  Value,   // to read one operand's value at it
  Nothing, // whatever the operands' values there are
};
using Needs = std::map<std::string, Need>;

/// The positions that are found for less than themselves: nothing else in the nest, no other operand and not
/// the result mentions them. A map may then hold what they are found for.
Needs needs_of_positions(const combine::IterationSpace &space, const Nest &nest);

/// Leaves out those that the search for an element, at that place, mentions.
void leave_out_mentioned(Needs &needs, const Search &search, const combine::Place &place);

} // namespace unravel::scan
