#pragma once

#include "emit/emit.h"
#include "emit/names.h"

#include <set>
#include <string>

/// What stands in front of the structs and the kernel, from the C files in src/emit/c. Such a file is in
/// parts, each below a comment `// part:` with names.
namespace unravel::emit {

/// The parts of a file that have one of the names.
std::string parts_of_c(const std::string &file, const std::set<std::string> &names);

/// Headers, or the declarations that take their place in process; `needs`: what the kernel calls or uses.
std::string includes(const std::set<std::string> &needs, const EmitOptions &options, const Names &names);

/// Macros and functions of ours that the text uses, each behind a guard: several kernels may stand in one
/// file. `single`: values of single precision. `kernel`: the function that they stand in front of.
std::string helpers(std::set<std::string> needs, bool single, const EmitOptions &options,
                    const std::string &kernel);

} // namespace unravel::emit
