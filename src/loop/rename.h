#pragma once

#include "loop/loop.h"

#include <map>
#include <string>

namespace unravel::loop {

/// New names for variables and locals, by the old ones: everywhere in the block, declarations too.
void rename(Block &block, const std::map<std::string, std::string> &by);

/// Everything of one parameter by the names of another, which has the same sizes, counts and index arrays:
/// "S.col" becomes "C.col". The parameter is dropped, and what was asked of the other's sizes because of it.
void join_parameters(Program &program, const std::string &from, const std::string &to);

} // namespace unravel::loop
