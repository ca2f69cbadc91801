#pragma once

#include "emit/expression.h"
#include "emit/names.h"
#include "loop/loop.h"

#include <string>

/// Statements of one line that set variables and elements, as C.
namespace unravel::emit {

std::string assignment_text(const loop::Assign &x, const Names &names, const Expressions &expressions);
std::string assignment_text(const loop::SetElement &x, const loop::Program &program, const Names &names,
                            Expressions &expressions);
std::string sort_text(const loop::Sort &x, const loop::Program &program, const Names &names,
                      Expressions &expressions);
std::string zero_text(const loop::Zero &x, const loop::Program &program, const Names &names,
                      Expressions &expressions);

} // namespace unravel::emit
