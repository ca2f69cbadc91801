#include "merge.h"

#include <algorithm>

namespace unravel::bench {

void merge(std::int32_t rows, const std::int32_t *__restrict rowptr, const std::int32_t *__restrict col,
           const double *__restrict val, std::int32_t count, const std::int32_t *__restrict idx,
           const double *__restrict x, double *__restrict y) {
  for (std::int32_t i = 0; i < rows; ++i) {
    double sum = 0;
    std::int32_t pA = rowptr[i], end = rowptr[i + 1], px = 0;
    while (pA < end && px < count) {
      std::int32_t jA = col[pA], jx = idx[px];
      std::int32_t j = std::min(jA, jx);
      if (jA == j && jx == j) sum += val[pA] * x[px];
      pA += static_cast<std::int32_t>(jA == j);
      px += static_cast<std::int32_t>(jx == j);
    }
    y[i] = sum;
  }
}

} // namespace unravel::bench
