#include "merge.h"

#include <algorithm>

namespace unravel::bench {

namespace {

/// Part of a sorted list of entries: a line of a matrix, or a vector.
struct Segment {
  const std::int32_t *crd;
  const double *val;
  std::int32_t begin, end;
};

Segment line(const Compressed &matrix, std::int32_t k) {
  return {matrix.crd, matrix.val, matrix.pos[k], matrix.pos[k + 1]};
}

Segment whole(const Sparse &vector) {
  return {vector.idx, vector.val, 0, vector.count};
}

inline double merged(Segment a, Segment b) {
  double sum = 0;
  std::int32_t p = a.begin, q = b.begin;
  while (p < a.end && q < b.end) {
    std::int32_t ka = a.crd[p], kb = b.crd[q];
    std::int32_t k = std::min(ka, kb);
    if (ka == k && kb == k) sum += a.val[p] * b.val[q];
    p += static_cast<std::int32_t>(ka == k);
    q += static_cast<std::int32_t>(kb == k);
  }
  return sum;
}

inline double merged(Segment a, Segment b, Segment c) {
  double sum = 0;
  std::int32_t p = a.begin, q = b.begin, r = c.begin;
  while (p < a.end && q < b.end && r < c.end) {
    std::int32_t ka = a.crd[p], kb = b.crd[q], kc = c.crd[r];
    std::int32_t k = std::min(ka, std::min(kb, kc));
    if (ka == k && kb == k && kc == k) sum += a.val[p] * b.val[q] * c.val[r];
    p += static_cast<std::int32_t>(ka == k);
    q += static_cast<std::int32_t>(kb == k);
    r += static_cast<std::int32_t>(kc == k);
  }
  return sum;
}

} // namespace

void merge_spmspv(const Compressed &a, const Sparse &x, double *y, int threads) {
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads) if (threads > 1)
  for (std::int32_t i = 0; i < a.lines; ++i)
    y[i] = merged(line(a, i), whole(x));
}

void scatter_spmspv(const Compressed &a, const Sparse &x, double *y) {
  std::fill_n(y, a.length, 0.0);
  for (std::int32_t q = 0; q < x.count; ++q)
    for (std::int32_t p = a.pos[x.idx[q]]; p < a.pos[x.idx[q] + 1]; ++p)
      y[a.crd[p]] += a.val[p] * x.val[q];
}

double merge_dot(const Sparse &a, const Sparse &b) {
  return merged(whole(a), whole(b));
}

void merge_row_dot(const Compressed &a, const Compressed &b, double *y, int threads) {
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads) if (threads > 1)
  for (std::int32_t i = 0; i < a.lines; ++i)
    y[i] = merged(line(a, i), line(b, i));
}

void merge_inner(const Compressed &a, const Compressed &b, double *c, int threads) {
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads) if (threads > 1)
  for (std::int32_t i = 0; i < a.lines; ++i)
    for (std::int32_t j = 0; j < b.lines; ++j)
      c[static_cast<std::size_t>(i) * static_cast<std::size_t>(b.lines) + static_cast<std::size_t>(j)] =
          merged(line(a, i), line(b, j));
}

double merge_triple_dot(const Sparse &a, const Sparse &b, const Sparse &c) {
  return merged(whole(a), whole(b), whole(c));
}

void merge_triple_rows(const Compressed &a, const Compressed &b, const Sparse &x, double *y, int threads) {
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads) if (threads > 1)
  for (std::int32_t i = 0; i < a.lines; ++i)
    y[i] = merged(line(a, i), line(b, i), whole(x));
}

double merge_triangles(const Compressed &l, int threads) {
  double sum = 0;
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads) reduction(+ : sum) if (threads > 1)
  for (std::int32_t i = 0; i < l.lines; ++i)
    for (std::int32_t p = l.pos[i]; p < l.pos[i + 1]; ++p)
      sum += l.val[p] * merged(line(l, l.crd[p]), line(l, i));
  return sum;
}

} // namespace unravel::bench
