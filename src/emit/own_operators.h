#pragma once

#include "emit/expression.h"
#include "emit/names.h"

#include <string>

/// Operators of the user's own as functions of C.
namespace unravel::emit {

/// Gives each of the program's a name, that of the kernel in front.
void name_own_operators(const loop::Program &program, Names &names, Expressions &expressions);

/// The functions that are needed so far, and what they need themselves; how OpenMP reduces by them.
std::string own_operators_text(const loop::Program &program, Expressions &expressions);

} // namespace unravel::emit
