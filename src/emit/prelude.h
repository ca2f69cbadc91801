#pragma once

#include "emit/emit.h"
#include "emit/expression.h"
#include "emit/names.h"

#include <string>

/// What stands in front of the structs and the kernel.
namespace unravel::emit {

/// Headers, or the declarations that take their place in process.
std::string includes(const Needs &needs, bool has_workspace, const EmitOptions &options, const Names &names);

/// Macros and functions of ours that the text uses, each behind a guard: several kernels may stand in one
/// file.
std::string helpers(const Needs &needs, const EmitOptions &options);

} // namespace unravel::emit
