#pragma once

#include "combine/space.h"
#include "term/term.h"

namespace unravel::combine {

/// Puts terms in the place of variables in all that is said of an operand.
void substitute(Operand &operand, const term::Substitution &by);

/// The same in all formulas and terms of a space. The names of its variables, and of operands' positions,
/// stay.
void substitute(IterationSpace &space, const term::Substitution &by);

/// Gives the operand's positions names of their own, "A.p.2", in it and in its part of a relation.
void number_positions(Operand &operand, std::size_t number, std::vector<term::Term> &relation);

} // namespace unravel::combine
