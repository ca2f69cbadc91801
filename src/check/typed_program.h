#pragma once

#include "compute/computation.h"

#include <map>
#include <optional>
#include <string>

namespace unravel::check {

/// A program whose statements have their types, by the language's rule (docs/operators.md, "Types of
/// values"). They follow from the text and the tensors' types alone: what the compiler made of the
/// statements, and in which types it computes them, takes no part.
struct TypedProgram {
  compute::Program program;
  /// The type in which a line adds up the terms of an element, which is converted at the end. None: terms are
  /// converted one by one.
  std::optional<value::Type> collected_in = {};
};

/// Are all statements free, and write one tensor?
bool is_line(const compute::Program &program);

/// `types`: of tensors and scalars.
TypedProgram typed(const compute::Program &program, const std::map<std::string, value::Type> &types);

} // namespace unravel::check
