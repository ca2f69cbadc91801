#pragma once

#include <cstdint>

namespace unravel::bench {

/// y = A x by a conjunctive merge per row, as TACO (Kjolstad et al., 2017) generates it for a compressed row
/// and a sparse vector: both are walked over, the smaller coordinate steps on. In a file of its own, compiled
/// with -O3 for this processor.
void merge(std::int32_t rows, const std::int32_t *__restrict rowptr, const std::int32_t *__restrict col,
           const double *__restrict val, std::int32_t count, const std::int32_t *__restrict idx,
           const double *__restrict x, double *__restrict y);

} // namespace unravel::bench
