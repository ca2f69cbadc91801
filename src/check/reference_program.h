#pragma once

#include "check/reference.h"
#include "check/typed_program.h"
#include "compute/computation.h"

#include <map>
#include <set>
#include <string>
#include <utility>

/// What --check compares kernels with: the statements one by one, in the order of the source; of a free
/// statement the join of its factors.
namespace unravel::check {

/// What a result is before the program is executed.
struct ProgramResult {
  std::vector<std::int64_t> shape;
  std::vector<double> initial;        // row-major; empty for zeros
  std::vector<double> imaginary = {}; // of complex values, else empty
  bool in_halves = false;             // the two are, of integers (data::Coordinates)
};

struct ProgramInput {
  std::map<std::string, const data::Coordinates *> operands; // all tensors but the results
  std::map<std::string, std::int64_t> sizes;                 // of the program's sizes, by name
  std::map<std::string, ProgramResult> results;
  /// Of index variables of free statements whose values are restricted to [first, second).
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> ranges = {};
  std::map<std::string, value::Type> types = {}; // of tensors and scalars (compute::Computation)
  /// Locals and results that list their entries: what isn't stored is nothing, as of operands.
  std::set<std::string> listed = {};
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
/// What compare() allows: more where f32 numbers are part of it, those of a tensor or made by a conversion.
double tolerance_of(const compute::Program &program, const std::map<std::string, value::Type> &types);
/// Sums the statements of a line (is_line()) whose result was zero before. The memory is in proportion to the
/// elements that have terms.
SparseReference evaluate_sparse_program(const compute::Program &program, const ProgramInput &input);

} // namespace unravel::check
