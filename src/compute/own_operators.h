#pragma once

#include "compute/computation.h"

#include <optional>
#include <string_view>
#include <vector>

/// The operators that an assignment or a program may name: the table's, and those of the user's own in front
/// of it.
namespace unravel::compute {

class Operators {
public:
  /// Throws mistakes: names with another meaning, definitions that are no value of their arguments, laws that
  /// don't hold for some numbers.
  explicit Operators(const std::vector<parse::OperatorTree> &trees);

  /// That is written as a call of that name, or none.
  std::optional<value::Operator> called(std::string_view name) const;
  /// Likewise before `=`, or in a semiring: `+` and `plus`, `*` and `times` too.
  std::optional<value::Operator> named(std::string_view name) const;
  /// Of those that are written as calls; `reduces`: of those that results may be reduced by.
  std::vector<std::string> names(bool reduces = false) const;

private:
  std::vector<value::Operator> own_;
};

/// Tests the laws of the program's own operators in the integer types that it computes with. Precondition:
/// its statements have their types, and `types` those of the tensors. Throws mistakes.
void check_laws_in_types(const Program &program, const std::map<std::string, value::Type> &types);

} // namespace unravel::compute
