#pragma once

#include "loop/loop.h"
#include "value/own.h"

#include <vector>

/// Operators of the user's own in programs.
namespace unravel::loop {

/// Those that statements compute or reduce with, each once, behind those that their definitions use.
std::vector<Operator> own_operators(const Block &block);

/// Its value over locals, which are called as its arguments are.
Value definition_of(const value::OwnOperator &own);

/// The other way round: the locals are arguments.
value::Definition definition_of(const Value &value, const std::vector<std::string> &arguments);

} // namespace unravel::loop
