#pragma once

#include "operands.h"

/// Hand-written kernels that bench_tensors compares with; one thread, in a file of its own, compiled with -O3
/// for this processor. Dense matrices are row-major, of `width` columns.
namespace unravel::bench {

/// A tensor of order 3 as a tree: slices, their fibres, their entries.
struct Fibres {
  std::int32_t slices = 0;
  const std::int32_t *row = nullptr, *rowptr = nullptr; // slices, slices + 1
  const std::int32_t *col = nullptr, *fibptr = nullptr; // fibres, fibres + 1
  const std::int32_t *tube = nullptr;                   // entries
  const double *val = nullptr;
};

/// The form that TACO (Kjolstad et al., "The tensor algebra compiler", OOPSLA 2017) generates: the loops over
/// the tree, the result's positions counted along, the innermost loop over the dense mode in memory.
void taco_ttv(const Fibres &t, const double *c, double *d);
void taco_ttm(const Fibres &t, const double *c, std::int64_t width, double *d);
void taco_mttkrp(const Fibres &t, const double *b, const double *c, std::int64_t width, std::int64_t rows,
                 double *y);

/// y(i,q,r) = t(i,j,k) b(j,q) c(k,r), all widths the same
void taco_ttmc(const Fibres &t, const double *b, const double *c, std::int64_t width, std::int64_t rows,
               double *y);

/// A tensor of order 4: slices, slices of these, their fibres, their entries.
struct Fibres4 {
  std::int32_t slices = 0;
  const std::int32_t *row = nullptr, *rowptr = nullptr;
  const std::int32_t *col = nullptr, *colptr = nullptr;
  const std::int32_t *tube = nullptr, *fibptr = nullptr;
  const std::int32_t *last = nullptr;
  const double *val = nullptr;
};

/// y(i,r) = t(i,j,k,l) b(j,r) c(k,r) d(l,r)
void taco_mttkrp(const Fibres4 &t, const double *b, const double *c, const double *d, std::int64_t width,
                 std::int64_t rows, double *y);

/// Adds the matrices up in a dense one, call by call: c = a1 + a2; c += a3; ...
void pairwise_sum(const std::vector<Compressed> &matrices, double *c);

/// Sums of a fibre in an array of `width` elements, then times B's row.
void plain_mttkrp(const Fibres &t, const double *b, const double *c, std::int64_t width, std::int64_t rows,
                  double *y);
/// The same with the sums in vectors; width: a multiple of 16.
void vector_mttkrp(const Fibres &t, const double *b, const double *c, std::int64_t width, std::int64_t rows,
                   double *y);

/// y = a b
void row_spmm(const Compressed &a, const double *b, std::int64_t width, double *y);
/// d has a's structure: a(i,j) * (row i of x) . (row j of y)
void row_sddmm(const Compressed &a, const double *x, const double *y, std::int64_t width, double *d);

} // namespace unravel::bench
