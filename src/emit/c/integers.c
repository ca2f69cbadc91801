// What kernels call for values that are integers, as in functions.c, before which it stands: _OF in a name stands for
// the type, `_int32`, and so do these words. UNSIGNED has no sign and at least 32 bits: in it sums may wrap around.
#include "includes.c"
#pragma GCC diagnostic ignored "-Wunused-function"
#define TYPE int32_t
#define UNSIGNED uint32_t
#define IS_SIGNED 1
#define GREATEST INT32_MAX
#define LEAST INT32_MIN
#define END 0x1p31
#define BEGIN (-0x1p31)

// part: product_OF
static inline TYPE unravel_product_OF(TYPE a, TYPE b) {
  const UNSIGNED product = (UNSIGNED)a * (UNSIGNED)b;
  return (TYPE)product;
}

// part: quotient_OF
// Rounded towards 0; a division by 0 gives 0.
static inline TYPE unravel_quotient_OF(TYPE a, TYPE b) {
  if (b == 0) return 0;
  return IS_SIGNED && b == (TYPE)-1 ? (TYPE)(0 - (UNSIGNED)a) : (TYPE)(a / b);
}

// part: abs_OF
static inline TYPE unravel_abs_OF(TYPE a) { return IS_SIGNED && a < 1 ? (TYPE)(0 - (UNSIGNED)a) : a; }

// part: from_real_OF
// Rounded towards 0; a number that is too large becomes the greatest one, NaN becomes 0.
static inline TYPE unravel_from_real_OF(double a) {
  if (a != a) return 0;
  return a >= END ? GREATEST : a <= BEGIN ? LEAST : (TYPE)a;
}

// part: min_OF
static inline TYPE unravel_min_OF(TYPE a, TYPE b) { return b < a ? b : a; }

// part: max_OF
static inline TYPE unravel_max_OF(TYPE a, TYPE b) { return b > a ? b : a; }

// part: and_OF
static inline TYPE unravel_and_OF(TYPE a, TYPE b) { return (a != 0) & (b != 0); }

// part: or_OF
static inline TYPE unravel_or_OF(TYPE a, TYPE b) { return (a != 0) | (b != 0); }

// part: xor_OF
static inline TYPE unravel_xor_OF(TYPE a, TYPE b) { return (a != 0) ^ (b != 0); }

// part: any_OF
// One that isn't 0, if there is one.
static inline TYPE unravel_any_OF(TYPE a, TYPE b) { return a != 0 ? a : b; }

// part: not_OF
static inline TYPE unravel_not_OF(TYPE a) { return a == 0; }

// part: reduce_sum_OF
#ifdef _OPENMP
#pragma omp declare reduction(unravel_sum_OF : TYPE : omp_out = (TYPE)((UNSIGNED)omp_out + (UNSIGNED)omp_in)) \
    initializer(omp_priv = 0)
#endif

// part: reduce_product_OF
#ifdef _OPENMP
#pragma omp declare reduction(unravel_product_OF : TYPE : omp_out = (TYPE)((UNSIGNED)omp_out * (UNSIGNED)omp_in)) \
    initializer(omp_priv = 1)
#endif

// part: reduce_min_OF
#ifdef _OPENMP
#pragma omp declare reduction(unravel_min_OF : TYPE : omp_out = unravel_min_OF(omp_out, omp_in)) \
    initializer(omp_priv = GREATEST)
#endif

// part: reduce_max_OF
#ifdef _OPENMP
#pragma omp declare reduction(unravel_max_OF : TYPE : omp_out = unravel_max_OF(omp_out, omp_in)) \
    initializer(omp_priv = LEAST)
#endif

// part: reduce_and_OF
#ifdef _OPENMP
#pragma omp declare reduction(unravel_and_OF : TYPE : omp_out = unravel_and_OF(omp_out, omp_in)) \
    initializer(omp_priv = 1)
#endif

// part: reduce_or_OF
#ifdef _OPENMP
#pragma omp declare reduction(unravel_or_OF : TYPE : omp_out = unravel_or_OF(omp_out, omp_in)) \
    initializer(omp_priv = 0)
#endif

// part: reduce_xor_OF
#ifdef _OPENMP
#pragma omp declare reduction(unravel_xor_OF : TYPE : omp_out = unravel_xor_OF(omp_out, omp_in)) \
    initializer(omp_priv = 0)
#endif

// part: reduce_any_OF
#ifdef _OPENMP
#pragma omp declare reduction(unravel_any_OF : TYPE : omp_out = unravel_any_OF(omp_out, omp_in)) \
    initializer(omp_priv = 0)
#endif
