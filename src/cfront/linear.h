#pragma once

#include "cfront/formula.h"
#include "text/source.h"

#include <optional>
#include <vector>

/// Matrices that are addressed through pointers, as in `A[i*n + j]`.
namespace unravel::cfront {

/// A subscript of a pointer, and what holds where it stands.
struct LinearUse {
  Polynomial subscript;
  std::vector<term::Term> facts;
  text::Span span;
};

struct LinearUses {
  std::vector<LinearUse> subscripts;
  bool is_dereferenced = false; // *s
};

/// What a pointer points to: a scalar, a vector, or rows of rows with these distances, outermost first; the
/// last is 1 and not listed.
struct LinearShape {
  struct Stride {
    std::int64_t factor = 1;
    Monomial sizes;
    Polynomial polynomial() const { return Polynomial::product(sizes, factor); }
  };
  std::size_t order = 1;
  std::vector<Stride> strides;

  /// The extents of the modes but the first. Precondition: order >= 1.
  std::vector<Polynomial> inner_extents() const;
};

/// The subscripts that are meant, where that is exact: each but the first is proved to lie inside its mode.
std::optional<std::vector<Polynomial>> split(const LinearUse &use, const LinearShape &shape,
                                             const Variables &variables);

/// A shape in which all uses can be split. `may_be_vector`: as one, affine subscripts stay what they are.
/// Nothing where products remain.
std::optional<LinearShape> find_shape(const LinearUses &uses, bool is_declared_vector,
                                      const Variables &variables);

/// The part of the sum that the stride divides, divided; `rest` is what remains.
Polynomial divide(const Polynomial &sum, const LinearShape::Stride &stride, Polynomial &rest);

} // namespace unravel::cfront
