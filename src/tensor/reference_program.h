#pragma once

#include "compute/computation.h"
#include "tensor/reference.h"

#include <map>
#include <string>

/// What --check compares the kernels of programs with: the statements one by one, in the order of the source.
namespace unravel::tensor {

/// What a result is before the program is executed.
struct ProgramResult {
  std::vector<std::int64_t> shape;
  std::vector<double> initial; // row-major; empty for zeros
};

struct ProgramInput {
  std::map<std::string, const Coordinates *> operands; // all tensors but the results
  std::map<std::string, std::int64_t> sizes;           // of the program's sizes, by name
  std::map<std::string, ProgramResult> results;
};

struct ProgramReference {
  std::map<std::string, Reference> results;
  /// The first divisor without an entry, as "`L(i, i)` at i = 3"; empty where there is none.
  std::string missing;
  text::Span missing_span;
};

/// Each element's magnitude is a bound on what rounding errors are in proportion to, errors of elements that
/// were computed before included. A loop around one statement alone, that adds products, visits only the
/// entries of a factor whose other subscripts are known; every other loop visits all its values.
ProgramReference evaluate_program(const compute::Program &program, const ProgramInput &input);

} // namespace unravel::tensor
