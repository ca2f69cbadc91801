#pragma once

#include "data/coordinates.h"
#include "value/type.h"

#include <cstdint>
#include <map>
#include <vector>

/// The evaluator that --check compares kernels with. It knows coordinates only: no layouts, no loops, no code
/// that the compiler uses, so that a mistake there can't hide here.
namespace unravel::check {

/// The expression i + shift, i being the index numbered `index`.
struct ReferenceSubscript {
  int index = 0;
  std::int64_t shift = 0;
};

/// One factor of a product: a tensor at subscripts, one for each of its modes. Each entry of the tensor is a
/// term: duplicates add up, as the product distributes over them.
struct ReferenceAccess {
  const data::Coordinates *tensor = nullptr;
  std::vector<ReferenceSubscript> subscripts;
};

/// result(subscripts) (+)= constant * factor * factor * ...: summed over all values of the indices for which
/// every factor has an entry. Indices are numbered from 0.
struct ReferenceProduct {
  double constant = 1;
  std::vector<ReferenceAccess> factors;
  std::vector<std::int64_t> shape;        // of the result
  std::vector<ReferenceSubscript> result; // one for each mode of the result
  /// Extent of each index, which then lies in [0, extent); -1 where nothing but the factors' entries bounds
  /// it. An index of the result that occurs in no factor takes all values of its extent, which must be known.
  std::vector<std::int64_t> extents;
  /// Of indices whose values are restricted to [first, second): by number.
  std::map<int, std::pair<std::int64_t, std::int64_t>> ranges;
  /// Of the terms, and of their sums: what is too large for it is infinite.
  value::Type type = value::Type::Float64;
  value::Type result_type = value::Type::Float64;
};

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

/// Evaluates by joining the factors' entries, from the factor with fewest entries on, each further one looked
/// up in a hash index of its entries by the subscripts that are known by then. Sums are kept in long double.
/// Time: in proportion to the entries and the matches between them; memory: the result and the hash indices.
Reference evaluate(const ReferenceProduct &product);
/// The sum of products for one result. The memory is in proportion to the elements that have terms.
SparseReference evaluate_sparse(const std::vector<ReferenceProduct> &products);

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
