#pragma once

#include <cstdint>
#include <vector>

/// Products of several tensors by hand, as others run them; one thread, compiled as tensors_hand.cpp is.
/// Dense matrices are row-major, of `width` columns.
namespace unravel::bench {

/// A sparse tensor as a tree: depth d has a node for each stored prefix of d + 1 coordinates, the last of
/// which is index[d]; node n of depth d has the children begin[d + 1][n] to begin[d + 1][n + 1]. Those of the
/// last depth have the values.
struct Tree {
  static constexpr int most = 6;
  int order = 0;
  std::int32_t roots = 0;
  const std::int32_t *index[most] = {};
  const std::int32_t *begin[most] = {}; // from depth 1 on
  const double *val = nullptr;
};

/// y(i,r) = t(i,j,k...) times a row of each other mode's matrix, for i any mode; the matrices by depth.
/// `rows` of y. Order 3 or 4. All factors in the innermost loop, in memory (TACO's form of the expression).
void unfactored_mttkrp(const Tree &t, const std::vector<const double *> &factors, int mode,
                       std::int64_t width, std::int64_t rows, double *y);
/// Sums of what is below the mode, products of what is above it, a row of each for every depth (SPLATT's
/// form: Smith and Karypis, "Tensor-matrix products with a compressed sparse tensor", 2015).
void tree_mttkrp(const Tree &t, const std::vector<const double *> &factors, int mode, std::int64_t width,
                 std::int64_t rows, double *y);

/// y(i,r,s) = t(i,j,k) u(j,r) v(k,s), a fibre's sums over s in an array first (TACO's form with a workspace).
void factored_ttmc(const Tree &t, const double *u, const double *v, std::int64_t width, std::int64_t rows,
                   double *y);
void unfactored_ttmc(const Tree &t, const double *u, const double *v, std::int64_t width, std::int64_t rows,
                     double *y);

/// d(i,j,k) = t(i,j,k) u(i,r) v(j,r) w(k,r) in three calls, of which each leaves a tensor with the entries of
/// t, times r, for the next one. d has t's structure.
void pairwise_tttp(const Tree &t, const double *u, const double *v, const double *w, std::int64_t width,
                   double *d);

/// z(e,n) = t(i,j,k,l,m,n) a(i,a) b(a,j,b) c(b,k,c) d(c,l,d) e(d,m,e) in one nest, all widths the same.
/// `sizes`: of t's modes.
void unfactored_chain(const Tree &t, const std::vector<const double *> &cores,
                      const std::vector<std::int64_t> &sizes, std::int64_t width, double *z);

} // namespace unravel::bench
