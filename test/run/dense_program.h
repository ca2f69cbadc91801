#pragma once

#include "check/reference.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Loop nests over dense arrays: their text as a program and in C, and what they compute.
namespace unravel::run::test {

/// size + sign * variable + shift; either name may be empty.
struct Affine {
  std::string size, variable;
  int sign = 1;
  std::int64_t shift = 0;
};

struct DenseAccess {
  std::string tensor;
  std::vector<Affine> subscripts;
};

/// A value: brackets stand around sums.
struct Value {
  enum class Kind { Number, Access, Sum, Product, Quotient } kind = Kind::Number;
  double number = 0;
  DenseAccess access;
  std::vector<Value> parts;     // of a quotient: dividend, divisor
  std::vector<bool> subtracted; // of a sum's parts
};

struct Comparison {
  Affine left;
  std::string relation; // as in a program: "=" is equality
  Affine right;
};

struct DenseStatement {
  enum class Kind { Loop, If, Local, Assignment } kind = Kind::Assignment;
  std::string variable; // of a loop
  Affine low, high;
  std::vector<Comparison> condition;
  bool is_any = false; // of the comparisons one suffices
  std::vector<DenseStatement> body;
  DenseAccess target; // a local's subscripts are plain variables, which are new
  std::string operation = "=";
  Value value;
};

struct DenseProgram {
  std::map<std::string, std::vector<std::string>> shapes; // of tensors, and of local ones: names of sizes
  std::vector<DenseStatement> statements;
};

std::string notation(const Value &value);
std::string notation(const DenseAccess &access);
std::string program_text(const DenseProgram &program);
/// The function `f`.
std::string c_text(const DenseProgram &program);

/// Tensors that aren't local and occur; those that are written.
std::vector<std::string> tensors_of(const DenseProgram &program, bool only_written = false);

/// Executes it. `tensors`: of all that aren't local, row-major.
void evaluate(const DenseProgram &program, const std::map<std::string, std::int64_t> &sizes,
              std::map<std::string, check::Reference> &tensors);

} // namespace unravel::run::test
