#pragma once

#include "parse/tree.h"

#include <string>
#include <vector>

/// Expressions that nobody has written.
namespace unravel::parse {

Expression over(Expression::Kind kind, std::vector<Expression> children, const text::Span &span);

/// An operator's value, or a tensor's element.
Expression called(const std::string &name, std::vector<Expression> arguments, const text::Span &span);

/// A real number, as an integer where it is one.
Expression number_expression(double value, const text::Span &span);

/// A complex number as it is written: `1 + 2i`, `-2i`. Precondition: its parts are finite.
Expression complex_expression(double real, double imaginary, const text::Span &span);

} // namespace unravel::parse
