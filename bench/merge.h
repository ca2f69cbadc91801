#pragma once

#include "operands.h"

/// Hand-written kernels of the form that TACO (Kjolstad et al., "The tensor algebra compiler", OOPSLA 2017)
/// generates: conjunctive merges, in which all operands are walked over and those at the smallest coordinate
/// step on. Loops over rows are shared among `threads` threads, 64 rows at a time. In a file of its own,
/// compiled with -O3 for this processor.
namespace unravel::bench {

/// y = A x, A by rows.
void merge_spmspv(const Compressed &a, const Sparse &x, double *y, int threads);
/// y = A x, A by columns. Nothing is merged here: columns are dense, those of x's entries are added up.
void scatter_spmspv(const Compressed &a, const Sparse &x, double *y);
double merge_dot(const Sparse &a, const Sparse &b);
/// y(i) = A(i,j) * B(i,j), both by rows.
void merge_row_dot(const Compressed &a, const Compressed &b, double *y, int threads);
/// C(i,j) = A(i,k) * B(k,j), A by rows, B by columns, C row-major.
void merge_inner(const Compressed &a, const Compressed &b, double *c, int threads);
double merge_triple_dot(const Sparse &a, const Sparse &b, const Sparse &c);
/// y(i) = A(i,j) * B(i,j) * x(j), both by rows.
void merge_triple_rows(const Compressed &a, const Compressed &b, const Sparse &x, double *y, int threads);
/// t = L(i,j) * L(j,k) * L(i,k), L by rows.
double merge_triangles(const Compressed &l, int threads);

} // namespace unravel::bench
