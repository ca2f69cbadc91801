#include "machine/sums.h"

#include "report/diagnostic.h"

#include <algorithm>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace unravel::machine {

namespace {

using Pair = double __attribute__((vector_size(16)));
using PairMask = std::int64_t __attribute__((vector_size(16)));

template <class Vector, class Element> Vector load(const Element *from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof(vector));
  return vector;
}

} // namespace

void sum_plain(const Segments &segments, double *y) {
  const std::int32_t *col = segments.col.data();
  const double *val = segments.val.data(), *x = segments.x.data();
  for (std::size_t k = 0; k < segments.count(); ++k) {
    double sum = 0;
    for (std::int64_t p = segments.begin[k], end = segments.begin[k + 1]; p < end; ++p)
      sum += val[p] * x[col[p]];
    y[k] = sum;
  }
}

void sum_in_pairs(const Segments &segments, double *y) {
  // From `none - n` on: n lanes that count, and then none.
  static constexpr std::int64_t lanes[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
  const std::int64_t *none = lanes + 4;
  const std::int32_t *col = segments.col.data();
  const double *val = segments.val.data(), *x = segments.x.data();
  auto product = [&](std::int64_t p) { return load<Pair>(val + p) * Pair{x[col[p]], x[col[p + 1]]}; };
  auto masked = [](Pair products, const std::int64_t *mask) {
    PairMask bits = load<PairMask>(reinterpret_cast<const std::int64_t *>(&products)) & load<PairMask>(mask);
    return load<Pair>(&bits);
  };
  for (std::size_t k = 0; k < segments.count(); ++k) {
    std::int64_t p = segments.begin[k], end = segments.begin[k + 1];
    Pair sum = {}, other = {};
    for (; p + 4 < end; p += 4) {
      sum += product(p);
      other += product(p + 2);
    }
    const std::int64_t *mask = none - (end - p);
    sum += masked(product(p), mask);
    other += masked(product(p + 2), mask + 2);
    sum += other;
    y[k] = sum[0] + sum[1];
  }
}

double add_loaded(const Segments &segments) {
  const std::int32_t *col = segments.col.data();
  const double *x = segments.x.data();
  double sum = 0, second = 0, third = 0, fourth = 0;
  for (std::size_t p = 0; p < segments.entries(); p += 4) {
    sum += x[col[p]];
    second += x[col[p + 1]];
    third += x[col[p + 2]];
    fourth += x[col[p + 3]];
  }
  return (sum + second) + (third + fourth);
}

#if defined(__x86_64__)

bool has_gathers4() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

bool has_gathers8() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
}

__attribute__((target("avx2,fma"))) double add_gathered4(const Segments &segments) {
  const std::int32_t *col = segments.col.data();
  const double *x = segments.x.data();
  // With a mask, though a full one: then nothing waits for what was in the register before.
  const __m256d all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
  auto gather = [&](std::size_t p) __attribute__((target("avx2,fma"))) {
    const __m128i columns = _mm_loadu_si128(reinterpret_cast<const __m128i *>(col + p));
    return _mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, columns, all, 8);
  };
  __m256d sum = _mm256_setzero_pd(), other = sum;
  for (std::size_t p = 0; p < segments.entries(); p += 8) {
    sum = _mm256_add_pd(sum, gather(p));
    other = _mm256_add_pd(other, gather(p + 4));
  }
  double lanes[4];
  _mm256_storeu_pd(lanes, _mm256_add_pd(sum, other));
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

namespace {

/// The sum of the lanes. (Of the intrinsic for it gcc 12 warns.)
__attribute__((target("avx512f,avx512vl"))) inline double across(__m512d sum) {
  const auto four =
      __builtin_shufflevector(sum, sum, 0, 1, 2, 3) + __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
  const auto two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
  return two[0] + two[1];
}

} // namespace

__attribute__((target("avx512f,avx512vl"))) double add_gathered8(const Segments &segments) {
  const std::int32_t *col = segments.col.data();
  const double *x = segments.x.data();
  const __m512d zero = _mm512_setzero_pd();
  __m512d sum = zero;
  __mmask8 all = 0xFF;
  asm volatile("" : "+r"(all)); // or it would be a gather without a mask
  for (std::size_t p = 0; p < segments.entries(); p += 8) {
    const __m256i columns = _mm256_maskz_loadu_epi32(all, col + p);
    sum = _mm512_add_pd(sum, _mm512_mask_i32gather_pd(zero, all, columns, x, 8));
  }
  return across(sum);
}

__attribute__((target("avx512f,avx512vl"))) void sum_by_gathers(const Segments &segments, double *y) {
  const std::int32_t *col = segments.col.data();
  const double *val = segments.val.data(), *x = segments.x.data();
  const __m512d zero = _mm512_setzero_pd();
  for (std::size_t k = 0; k < segments.count(); ++k) {
    __m512d sum = zero;
    const std::int64_t end = segments.begin[k + 1];
    for (std::int64_t p = segments.begin[k]; p < end; p += 8) {
      const __mmask8 mask = static_cast<__mmask8>((1u << std::min<std::int64_t>(8, end - p)) - 1);
      const __m256i columns = _mm256_maskz_loadu_epi32(mask, col + p);
      const __m512d gathered = _mm512_mask_i32gather_pd(zero, mask, columns, x, 8);
      sum = _mm512_fmadd_pd(_mm512_maskz_loadu_pd(mask, val + p), gathered, sum);
    }
    y[k] = across(sum);
  }
}

#else

bool has_gathers4() {
  return false;
}

bool has_gathers8() {
  return false;
}

double add_gathered4(const Segments &) {
  report::require(false, "only x86 has these gathers");
  return 0;
}

double add_gathered8(const Segments &) {
  report::require(false, "only x86 has these gathers");
  return 0;
}

void sum_by_gathers(const Segments &, double *) {
  report::require(false, "only x86 has these gathers");
}

#endif

} // namespace unravel::machine
