#pragma once

#include "report/diagnostic.h"
#include "tensor/tensor.h"

/// Does a tensor keep what its layout promises? Safe on any data: no array is read outside its elements.
namespace unravel::check {

struct Violation {
  report::Kind kind = report::Kind::property_violated; // or extent_mismatch, outside_array
  std::string property; // as the layout states it; empty for extents and counts
  std::string message;  // which array, where, which values
};

struct ValidationResult {
  /// The first violation of each property.
  std::vector<Violation> violations;
  /// Properties that were not checked in full, as checking takes more than linear time: they hold for all
  /// that was tried.
  std::vector<std::string> sampled;

  bool ok() const { return violations.empty(); }
};

struct ValidateOptions {
  /// Values tried per formula and thread, or 4 per element of the index arrays where that is more; beyond
  /// that a formula is sampled.
  std::int64_t budget = 5'000'000;
  std::int64_t samples = 100'000;
  std::uint64_t seed = 1;
  /// Also follow the relation to see that it reads no array outside its elements. For layouts for which this
  /// is not proved (check_layout's findings): where it is, the properties imply it.
  bool accesses = false;
  /// Checks only the properties that keep accesses inside arrays: facts, and ranges and orders of single
  /// arrays; where there are formulas besides, the accesses themselves.
  bool bounds_alone = false;
};

/// Extents and counts first, then properties; where the extents are wrong nothing else is looked at. Linear
/// in the arrays but for injectivity (sorting) and formulas (see ValidateOptions); formulas over two
/// positions where neighbours suffice, or which say that they differ, are linear too.
ValidationResult validate(const tensor::Tensor &tensor, const ValidateOptions &options = {});

/// Extents and counts alone, in constant time: what keeps arrays of one tensor together.
ValidationResult validate_extents(const tensor::Tensor &tensor);

/// Checks layout.properties[property] alone. Precondition: the extents are right.
ValidationResult validate_property(const tensor::Tensor &tensor, std::size_t property,
                                   const ValidateOptions &options = {});

/// Throws the first violation as an error; `what` says whose arrays they are, as in "operand `A`".
void require_ok(const ValidationResult &result, const tensor::Tensor &tensor, const std::string &what);

/// Follows the layout's relation over the arrays; what it would read outside them, if anything.
std::vector<Violation> validate_accesses(const tensor::Tensor &tensor);

} // namespace unravel::check
