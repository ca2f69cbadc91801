#pragma once

#include "data/coordinates.h"
#include "value/operators.h"

/// Entries of one coordinate that stand for something else than their sum.
namespace unravel::convert {

/// Sorts the entries, and leaves one for each coordinate: the value that the operator makes of theirs, of the
/// first two, then of that and the third, and so on, in the type. Complex entries of an integer type of 64
/// bits are integers in halves (halves.h). Precondition: an operator of two arguments; of complex numbers too,
/// where some are complex. Throws value_width where the type doesn't hold a value: packing would add entries
/// up, and may find that it holds their sum. O(entries) and a sort.
void combine_duplicates(data::Coordinates &entries, const value::Operator &op, value::Type type);

} // namespace unravel::convert
