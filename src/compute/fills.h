#pragma once

#include "compute/computation.h"

/// What elements are that aren't stored: 0, unless it is declared.
namespace unravel::compute {

/// Those given and those that the program declares. Throws mistakes: two for one tensor.
Fills declared_fills(const parse::ProgramTree &tree, Fills given);

/// Says so in every access; also of local tensors, which begin with what `let` says. Throws limits: a line
/// whose result has another fill than what nothing is reduced to.
void set_fills(Computation &made, const Fills &fills);

/// The statement, which sets elements of a result that begins without entries, reduced by an operator whose
/// identity is the result's fill. Throws limits: it is reduced by another one, or there is none.
Statement reduced_from_fill(Statement statement);

/// As it is declared, or none.
std::optional<double> fill_of(const Program &program, const std::string &tensor);

/// What elements of a result that begins without entries are where nothing is computed for them.
double nothing_of(const Program &program, const std::string &result);

} // namespace unravel::compute
