#pragma once

#include "parse/tree.h"

#include <string>
#include <vector>

/// Trees of programs that rewritings make.
namespace unravel::compute {

parse::Expression number_expression(double value, const text::Span &span);

/// name(indices), or the name alone.
parse::Expression access_expression(const parse::Name &tensor, const std::vector<parse::Name> &indices);

/// 1 where there are none.
parse::Expression product_expression(std::vector<parse::Expression> factors);

parse::StatementTree assign(parse::StatementTree::Kind kind, parse::AssignmentTree::Operator op,
                            parse::Expression target, parse::Expression value);

/// Loops over all indices, each over the extent of what it subscripts, the first one outermost.
std::vector<parse::StatementTree> in_loops(const std::vector<parse::Name> &indices,
                                           std::vector<parse::StatementTree> body);

} // namespace unravel::compute
