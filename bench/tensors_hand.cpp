#include "tensors_hand.h"

#include <algorithm>
#include <vector>

namespace unravel::bench {

void taco_ttv(const Fibres &t, const double *c, double *d) {
  std::int32_t written = 0;
  for (std::int32_t r = 0; r < t.slices; ++r)
    for (std::int32_t f = t.rowptr[r]; f < t.rowptr[r + 1]; ++f) {
      double sum = 0;
      for (std::int32_t p = t.fibptr[f]; p < t.fibptr[f + 1]; ++p)
        sum += t.val[p] * c[t.tube[p]];
      d[written++] = sum;
    }
}

void taco_ttm(const Fibres &t, const double *__restrict c, std::int64_t width, double *__restrict d) {
  std::int64_t written = 0;
  for (std::int32_t r = 0; r < t.slices; ++r)
    for (std::int32_t f = t.rowptr[r]; f < t.rowptr[r + 1]; ++f) {
      for (std::int64_t l = 0; l < width; ++l)
        d[written * width + l] = 0;
      for (std::int32_t p = t.fibptr[f]; p < t.fibptr[f + 1]; ++p) {
        std::int64_t k = t.tube[p];
        for (std::int64_t l = 0; l < width; ++l)
          d[written * width + l] += t.val[p] * c[k * width + l];
      }
      ++written;
    }
}

void taco_mttkrp(const Fibres &t, const double *__restrict b, const double *__restrict c, std::int64_t width,
                 std::int64_t rows, double *__restrict y) {
  std::fill_n(y, rows * width, 0.0);
  for (std::int32_t r = 0; r < t.slices; ++r)
    for (std::int32_t f = t.rowptr[r]; f < t.rowptr[r + 1]; ++f)
      for (std::int32_t p = t.fibptr[f]; p < t.fibptr[f + 1]; ++p) {
        std::int64_t i = t.row[r], j = t.col[f], k = t.tube[p];
        for (std::int64_t l = 0; l < width; ++l)
          y[i * width + l] += t.val[p] * b[j * width + l] * c[k * width + l];
      }
}

void taco_ttmc(const Fibres &t, const double *__restrict b, const double *__restrict c, std::int64_t width,
               std::int64_t rows, double *__restrict y) {
  std::fill_n(y, rows * width * width, 0.0);
  for (std::int32_t r = 0; r < t.slices; ++r)
    for (std::int32_t f = t.rowptr[r]; f < t.rowptr[r + 1]; ++f)
      for (std::int32_t p = t.fibptr[f]; p < t.fibptr[f + 1]; ++p) {
        std::int64_t i = t.row[r], j = t.col[f], k = t.tube[p];
        for (std::int64_t q = 0; q < width; ++q)
          for (std::int64_t l = 0; l < width; ++l)
            y[(i * width + q) * width + l] += t.val[p] * b[j * width + q] * c[k * width + l];
      }
}

void taco_mttkrp(const Fibres4 &t, const double *__restrict b, const double *__restrict c,
                 const double *__restrict d, std::int64_t width, std::int64_t rows, double *__restrict y) {
  std::fill_n(y, rows * width, 0.0);
  for (std::int32_t s = 0; s < t.slices; ++s)
    for (std::int32_t m = t.rowptr[s]; m < t.rowptr[s + 1]; ++m)
      for (std::int32_t f = t.colptr[m]; f < t.colptr[m + 1]; ++f)
        for (std::int32_t p = t.fibptr[f]; p < t.fibptr[f + 1]; ++p) {
          std::int64_t i = t.row[s], j = t.col[m], k = t.tube[f], l = t.last[p];
          for (std::int64_t r = 0; r < width; ++r)
            y[i * width + r] += t.val[p] * b[j * width + r] * c[k * width + r] * d[l * width + r];
        }
}

namespace {

/// Rows of c get those of the matrix.
void add(const Compressed &a, double *__restrict c) {
  for (std::int32_t i = 0; i < a.lines; ++i)
    for (std::int32_t p = a.pos[i]; p < a.pos[i + 1]; ++p)
      c[static_cast<std::int64_t>(i) * a.length + a.crd[p]] += a.val[p];
}

} // namespace

void pairwise_sum(const std::vector<Compressed> &matrices, double *c) {
  const Compressed &a = matrices[0], &b = matrices[1];
  for (std::int32_t i = 0; i < a.lines; ++i) {
    double *__restrict row = c + static_cast<std::int64_t>(i) * a.length;
    std::fill_n(row, a.length, 0.0);
    for (const Compressed *each : {&a, &b})
      for (std::int32_t p = each->pos[i]; p < each->pos[i + 1]; ++p)
        row[each->crd[p]] += each->val[p];
  }
  for (std::size_t k = 2; k < matrices.size(); ++k)
    add(matrices[k], c);
}

void plain_mttkrp(const Fibres &t, const double *__restrict b, const double *__restrict c, std::int64_t width,
                  std::int64_t rows, double *__restrict y) {
  std::fill_n(y, rows * width, 0.0);
  std::vector<double> sums(static_cast<std::size_t>(width));
  double *__restrict acc = sums.data();
  for (std::int32_t r = 0; r < t.slices; ++r)
    for (std::int32_t f = t.rowptr[r]; f < t.rowptr[r + 1]; ++f) {
      std::int64_t i = t.row[r], j = t.col[f];
      for (std::int64_t l = 0; l < width; ++l)
        acc[l] = 0;
      for (std::int32_t p = t.fibptr[f]; p < t.fibptr[f + 1]; ++p) {
        std::int64_t k = t.tube[p];
        for (std::int64_t l = 0; l < width; ++l)
          acc[l] += t.val[p] * c[k * width + l];
      }
      for (std::int64_t l = 0; l < width; ++l)
        y[i * width + l] += acc[l] * b[j * width + l];
    }
}

namespace {

typedef double Lanes __attribute__((vector_size(64), aligned(8), may_alias));

Lanes load(const double *from) {
  return *reinterpret_cast<const Lanes *>(from);
}

template <int vectors>
void mttkrp_part(const Fibres &t, const double *b, const double *c, std::int64_t width, std::int64_t first,
                 double *y) {
  for (std::int32_t r = 0; r < t.slices; ++r) {
    Lanes row[vectors] = {};
    for (std::int32_t f = t.rowptr[r]; f < t.rowptr[r + 1]; ++f) {
      Lanes fibre[vectors] = {};
      for (std::int32_t p = t.fibptr[f]; p < t.fibptr[f + 1]; ++p) {
        const double *at = c + t.tube[p] * width + first;
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v)
          fibre[v] += t.val[p] * load(at + 8 * v);
      }
      const double *at = b + t.col[f] * width + first;
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v)
        row[v] += fibre[v] * load(at + 8 * v);
    }
    double *at = y + t.row[r] * width + first;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v)
      *reinterpret_cast<Lanes *>(at + 8 * v) = row[v];
  }
}

} // namespace

void vector_mttkrp(const Fibres &t, const double *b, const double *c, std::int64_t width, std::int64_t rows,
                   double *y) {
  std::fill_n(y, rows * width, 0.0);
  std::int64_t first = 0;
  for (; first + 32 <= width; first += 32)
    mttkrp_part<4>(t, b, c, width, first, y);
  for (; first < width; first += 16)
    mttkrp_part<2>(t, b, c, width, first, y);
}

void row_spmm(const Compressed &a, const double *__restrict b, std::int64_t width, double *__restrict y) {
  for (std::int64_t i = 0; i < a.lines; ++i) {
    for (std::int64_t l = 0; l < width; ++l)
      y[i * width + l] = 0;
    for (std::int32_t p = a.pos[i]; p < a.pos[i + 1]; ++p) {
      std::int64_t j = a.crd[p];
      for (std::int64_t l = 0; l < width; ++l)
        y[i * width + l] += a.val[p] * b[j * width + l];
    }
  }
}

void row_sddmm(const Compressed &a, const double *__restrict x, const double *__restrict y,
               std::int64_t width, double *__restrict d) {
  for (std::int64_t i = 0; i < a.lines; ++i)
    for (std::int32_t p = a.pos[i]; p < a.pos[i + 1]; ++p) {
      std::int64_t j = a.crd[p];
      double sum = 0;
      for (std::int64_t l = 0; l < width; ++l)
        sum += x[i * width + l] * y[j * width + l];
      d[p] = a.val[p] * sum;
    }
}

} // namespace unravel::bench
