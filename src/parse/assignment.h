#pragma once

#include "parse/lexer.h"

/// Assignments, which index notation and programs share.
namespace unravel::parse {

/// Steps over an assignment; in a program also one with `-=`, `*=` or `/=`.
AssignmentTree parse_assignment(TokenStream &tokens);

} // namespace unravel::parse
