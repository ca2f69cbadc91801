// What kernels call for values that are integers, as in functions.c, before which it stands: _F in a name stands for
// the type, `_int32`, and so do these words. UNSIGNED has no sign and at least 32 bits: in it sums may wrap around.
#include "includes.c"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#define KEY int32_t
#define VALUE int32_t
#define INTEGER int32_t
#define PAIR_BYTES 8
#define LANE uint32_t
#define TO_LANE (uint32_t)
#define UNSIGNED uint32_t
#define IS_SIGNED 1
#define GREATEST INT32_MAX
#define LEAST INT32_MIN
#define END 0x1p31
#define BEGIN (-0x1p31)

// part: product_F
static inline VALUE unravel_product_F(VALUE a, VALUE b) {
  const UNSIGNED product = (UNSIGNED)a * (UNSIGNED)b;
  return (VALUE)product;
}

// part: quotient_F
// Rounded towards 0; a division by 0 gives 0.
static inline VALUE unravel_quotient_F(VALUE a, VALUE b) {
  if (b == 0) return 0;
  return IS_SIGNED && b == (VALUE)-1 ? (VALUE)(0 - (UNSIGNED)a) : (VALUE)(a / b);
}

// part: abs_F
static inline VALUE unravel_abs_F(VALUE a) { return IS_SIGNED && a < 1 ? (VALUE)(0 - (UNSIGNED)a) : a; }

// part: from_real_F
// Rounded towards 0; a number that is too large becomes the greatest one, NaN becomes 0.
static inline VALUE unravel_from_real_F(double a) {
  if (a != a) return 0;
  return a >= END ? GREATEST : a <= BEGIN ? LEAST : (VALUE)a;
}

#include "pairs.c"

// part: reduce_sum_F
#ifdef _OPENMP
#pragma omp declare reduction(unravel_sum_F : VALUE : omp_out = (VALUE)((UNSIGNED)omp_out + (UNSIGNED)omp_in)) \
    initializer(omp_priv = 0)
#endif

// part: reduce_product_F
#ifdef _OPENMP
#pragma omp declare reduction(unravel_product_F : VALUE : omp_out = (VALUE)((UNSIGNED)omp_out * (UNSIGNED)omp_in)) \
    initializer(omp_priv = 1)
#endif

#include "operators.c"
