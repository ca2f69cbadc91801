#pragma once

#include "loop/loop.h"

#include <string_view>

/// Loops whose sums are kept in vectors: which are such (VectorSum), for the pass sums_in_vectors.
namespace unravel::loop {

/// "stretch", "clears_stretch", ...; None has no name.
std::string_view name_of(VectorSum kind);

/// The type that sums in vectors have: what all arrays of values are in single precision, else double.
ElementType type_of_vectors(const Program &program);

/// Says it of no loop any more, before these change.
void forget_vector_sums(Block &statements);

/// Fails with a bug where a loop is none of the kind that it is said to be.
void verify_vector_sums(const Program &program);

} // namespace unravel::loop
