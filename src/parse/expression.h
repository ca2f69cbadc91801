#pragma once

#include "parse/lexer.h"

/// The expressions and formulas that layout files, index notation and programs share.
///
///   formula = formulas joined by `=>`, `or` `||`, `and` `&&`, `not` `!`; true; false; ( formula );
///             comparisons, also in chains: 0 <= p < q
///   term    = terms joined by + - * mod and unary -; integer; name; name(term, ...); ( term );
///             floor(a / b); ceil(a / b)
///
/// Weakest first: `=>` (to the right), `or`, `and`, `not`, chained comparisons, `+ -`, `* / mod`, unary `-`.
/// Index notation has terms alone; neither it nor programs have reserved words and `mod`; there `/` is an
/// operator like `*`, while in layout files it stands only directly inside floor() and ceil(). Terms where a
/// formula is due, and the other way round, are reported here.
namespace unravel::parse {

/// Brackets, signs, `not` and `=>` may nest this deep, and one expression may hold this many other operators:
/// together they bound the depth of a tree, which all later rooms walk recursively.
inline constexpr int nesting_limit = 200;
inline constexpr int operator_limit = 2000;

/// An integer (or, in index notation, real) valued expression.
Expression parse_term(TokenStream &tokens);
/// What is assigned: a term in which brackets and the arguments of calls may be comparisons too, as the whole
/// may (but for `=`, which is an assignment's).
Expression parse_value(TokenStream &tokens);
/// A condition: comparisons, and, or, not, =>, true, false.
Expression parse_formula(TokenStream &tokens);
/// Comparisons and accesses, joined by `and`, `or` and `not`: where an access has a stored element.
Expression parse_mask(TokenStream &tokens);

/// Terms separated by commas up to the bracket that closes, which is stepped over; possibly none. The opening
/// bracket is the last token stepped over, by TokenStream::open.
std::vector<Expression> parse_terms_until(TokenStream &tokens, std::string_view closing);

} // namespace unravel::parse
