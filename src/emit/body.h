#pragma once

#include "emit/emit.h"
#include "emit/expression.h"
#include "emit/names.h"
#include "emit/span.h"

#include <string>

namespace unravel::emit {

/// The kernel function without its comment: signature, preconditions, locals, statements. Tells `expressions`
/// what the prelude must define.
SpannedText function_text(const loop::Program &program, const EmitOptions &options, Names &names,
                          Expressions &expressions);

} // namespace unravel::emit
