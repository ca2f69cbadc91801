#pragma once

#include "loop/loop.h"
#include "pipeline.h"

namespace unravel::tool {

/// A kernel that says where the values of a sparse result lie (assembled, or with an operand's structure):
/// for each slot of its value array it sets the workspace array of each mode ("D.place0") to the coordinate,
/// counted from 1 on; 0 where nothing is stored.
loop::Program places_of(const std::string &result, const pipeline::Compilation &compilation);

} // namespace unravel::tool
