#pragma once

#include "loop/loop.h"

#include <map>
#include <string>

namespace unravel::loop {

/// New names for variables and locals, by the old ones: everywhere in the block, declarations too.
void rename(Block &block, const std::map<std::string, std::string> &by);

} // namespace unravel::loop
