#pragma once

#include "data/coordinates.h"
#include "value/type.h"

#include <cstdint>
#include <map>
#include <vector>

/// Right results, and comparisons with them.
namespace unravel::check {

/// One of the values that an element may have, where it is reduced by `any`.
struct Choice {
  double value = 0;
  double magnitude = 0;
  double imaginary = 0;
  std::int64_t integer = 0; // where the elements are integers
};
/// An element's row-major number.
using Offset = unsigned __int128;
/// What elements may have besides what is expected.
using Choices = std::map<Offset, std::vector<Choice>>;

/// A dense result, row-major, with what the sum's rounding error is in proportion to.
struct Reference {
  std::vector<std::int64_t> shape;
  std::vector<double> value;
  std::vector<double> magnitude;      // the sum of the absolute values of the terms
  std::vector<double> imaginary = {}; // of complex values; else empty
  /// Truths are reduced into it: a number that is neither 0 nor 1 counts as true, and may become 1 or stay.
  bool has_truths = false;
  Choices choices = {};
  /// Of integers: themselves, of unsigned ones of 64 bits their bits, where `value` is rounded. Else empty.
  std::vector<std::int64_t> integer = {};
  value::Type type = value::Type::Float64;
};

/// A result of which only the elements are listed that have terms; the others are the fill.
struct SparseReference {
  std::vector<std::int64_t> shape;
  std::vector<Offset> offset; // in no order, each once
  std::vector<double> value;
  std::vector<double> magnitude;
  double fill = 0;
  std::vector<double> imaginary = {}; // of complex values; else empty
  Choices choices = {};
  std::vector<std::int64_t> integer = {}; // as above
  value::Type type = value::Type::Float64;
};

/// Elements may have the values of the other one, too.
void allow(Reference &made, const Reference &other);
void allow(SparseReference &made, const SparseReference &other);

struct Comparison {
  bool ok = true;
  /// The largest |got - reference| / magnitude over the elements that are finite.
  double max_relative_error = 0;
  /// The first element, row-major, that is off: its coordinate and what was found.
  std::vector<std::int64_t> coordinate;
  value::Scalar got;
  value::Scalar expected;
  std::size_t bad_elements = 0;
};

/// Whether each element of `got` (row-major, of the reference's shape) satisfies
/// |got - reference| <= tolerance * magnitude. A NaN must be a NaN, an infinity the same infinity; so must
/// the parts of a complex number. Of truths 1 and any other number but 0 are alike. An element may have any
/// of its choices. `imaginary`: of `got`, or empty. Integers are compared as doubles.
Comparison compare(const std::vector<double> &got, const Reference &reference, double tolerance,
                   const std::vector<double> &imaginary = {});
/// The same of entries, of which those of one coordinate add up; an element without entries is the fill.
/// Integers, perhaps in halves, are compared exactly, and wrap around as they add up.
Comparison compare(const data::Coordinates &got, const Reference &reference, double tolerance,
                   double fill = 0);
Comparison compare(const data::Coordinates &got, const SparseReference &reference, double tolerance);

} // namespace unravel::check
