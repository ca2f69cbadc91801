#pragma once

#include "parse/lexer.h"

#include <string>
#include <string_view>

/// What is said of a tensor's values: `int32 fill inf`.
namespace unravel::parse {

/// Is it the name of a type of values?
bool is_value_type(std::string_view word);

/// The number, also `inf` and `-inf`; none where the text is something else, or NaN.
std::optional<double> fill_of(std::string_view text);

/// A type, `fill` and a number: each may be missing.
ValuesTree parse_values(TokenStream &tokens);

/// " int32 fill inf"; empty where nothing is said.
std::string to_text(const ValuesTree &values);

} // namespace unravel::parse
