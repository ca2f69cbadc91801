#pragma once

#include "compute/computation.h"
#include "parse/build.h"

#include <optional>
#include <string>
#include <vector>

/// Trees of programs that rewritings make.
namespace unravel::compute {

using parse::number_expression;

std::vector<parse::Name> names(const std::vector<std::string> &texts, const text::Span &span);
void append(std::vector<parse::StatementTree> &to, std::vector<parse::StatementTree> more);

/// The indices that subscript a tensor, mode by mode.
std::vector<std::string> indices_of(const Access &access);

/// Is each of its subscripts an index alone, without a shift?
bool has_plain_subscripts(const Statement &statement);

/// name(indices), or the name alone.
parse::Expression access_expression(const parse::Name &tensor, const std::vector<parse::Name> &indices);

/// The access as it is written. Precondition: its subscripts are affine.
parse::Expression expression_of(const Access &access);

/// What the statement computes, as it writes that: where it has an operator of products of its own, as `*`.
parse::Expression expression_of(const Value &value, const Statement &of);

/// A term of the line as one of a program, where it is a statement by itself: what it reads is converted to
/// the type in which the line is computed, where the term alone would be computed in another one.
parse::Expression expression_of_term(const Value &value, const Statement &of);

/// A sum of variables with factors and a number. Precondition: the term is affine.
parse::Expression term_expression(const term::Term &term, const text::Span &span);

/// Is the size one that no text has: the extent of a loop without bounds, "i.extent"? Are the extents of a
/// tensor none of these?
bool is_of_loop(const std::string &size);
bool is_declared(const std::vector<term::Term> &extents);

/// The program's tensors with the extents that they are declared with.
std::vector<parse::TensorTree> declared_tensors(const Program &program, const text::Span &span);

/// 1 where there are none.
parse::Expression product_expression(std::vector<parse::Expression> factors);

parse::StatementTree assign(parse::StatementTree::Kind kind, parse::AssignmentTree::Operator op,
                            parse::Expression target, parse::Expression value);

/// target = value, or the statement's reduction of it, where it is executed.
parse::StatementTree assigned(const Statement &of, parse::Expression target, parse::Expression value,
                              bool reduces);

/// Sets all elements of the statement's target to the identity of what it is reduced by. Precondition: its
/// subscripts are indices.
parse::StatementTree clearing(const Statement &statement);

/// The line as one assignment; nothing where its terms have different masks.
std::optional<parse::AssignmentTree> assignment_of(const Program &line);

/// A program of these statements with the line's operators and the extents of its tensors.
parse::ProgramTree program_with(const Program &line, std::vector<parse::StatementTree> body);

/// Loops over all indices, each over the extent of what it subscripts, the first one outermost.
std::vector<parse::StatementTree> in_loops(const std::vector<parse::Name> &indices,
                                           std::vector<parse::StatementTree> body);

} // namespace unravel::compute
