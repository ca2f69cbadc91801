#pragma once

#include "check/reference.h"
#include "check/reference_program.h"

#include <list>

/// Free statements as joins of their factors' entries (`evaluate`, `evaluate_sparse`).
namespace unravel::check {

/// Does the statement add a product of factors, perhaps divided, wherever these are stored?
bool adds_product(const compute::Statement &statement, const ProgramInput &input);

/// A free statement as a join. Each index takes the values from 0 on at which all subscripts lie inside.
/// `made`: what it divides by is kept there, and integers as doubles. Precondition: it adds a product.
ReferenceProduct product_of(const compute::Statement &statement, const ProgramInput &input,
                            std::list<data::Coordinates> &made);

} // namespace unravel::check
