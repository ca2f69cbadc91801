#pragma once

#include "cfront/syntax.h"

#include <string>

/// What is refused: valid C that is no dense loop nest.
namespace unravel::cfront {

/// Kind `c-subset`.
[[noreturn]] void refuse(const text::Span &span, const std::string &message, const std::string &hint = {});
/// Kind `not-affine`: a product or division in what has to be affine.
[[noreturn]] void refuse_not_affine(const text::Span &span, const std::string &message,
                                    const std::string &hint = {});
/// A statement of a kind that no loop nest has.
[[noreturn]] void refuse_statement(const Node &node);
/// An expression of a kind that neither numbers nor subscripts have.
[[noreturn]] void refuse_expression(const Node &node);

/// Kind `expression-too-large`.
[[noreturn]] void fail_too_deep(const text::Place &place);

/// The text of a node, shortened, in back quotes.
std::string quoted(const Node &node);

} // namespace unravel::cfront
