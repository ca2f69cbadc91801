#pragma once

#include "parse/lexer.h"

#include <string>
#include <vector>

/// Operators of the user's own, in front of an assignment or a program:
///   operator = "operator" name "(" name { "," name } ")" "=" value [ ":" law { "," law } ] ";"
///   law      = "associative" | "commutative" | "idempotent" | "identity" number | "absorbs" number
///            | "distributes" "over" ( name | "+" | "*" ) | "on" "[" number "," number "]"
/// A number is one with or without a sign, or `inf`.
namespace unravel::parse {

/// Steps over all that stand here, with their semicolons.
std::vector<OperatorTree> parse_operators(TokenStream &tokens);

/// As it is written, without the semicolon.
std::string to_text(const OperatorTree &made);

} // namespace unravel::parse
