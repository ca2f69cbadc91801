// What kernels call for complex values, as in functions.c, before which it stands: _OF in a name stands for the type,
// `_complex128`, and so do these words; _F is the end of C's names for that precision.
#include "includes.c"
#pragma GCC diagnostic ignored "-Wunused-function"
#define TYPE double _Complex
#define REAL double
#define creal_F creal
#define cimag_F cimag

// part: product_OF
// By the formula: C's own product handles infinities, which costs more than the product itself.
static inline TYPE unravel_product_OF(TYPE a, TYPE b) {
  const REAL x = creal_F(a), y = cimag_F(a), u = creal_F(b), v = cimag_F(b);
  const union {
    REAL parts[2];
    TYPE whole;
  } product = {{x * u - y * v, x * v + y * u}};
  return product.whole;
}

// part: quotient_OF
// Smith's formula: no square overflows.
static inline TYPE unravel_quotient_OF(TYPE a, TYPE b) {
  const REAL x = creal_F(a), y = cimag_F(a), u = creal_F(b), v = cimag_F(b);
  union {
    REAL parts[2];
    TYPE whole;
  } quotient = {{x / u, y / u}};
  if (v != 0) {
    const int is_flat = (u < 0 ? -u : u) >= (v < 0 ? -v : v);
    const REAL ratio = is_flat ? v / u : u / v, by = is_flat ? u + v * ratio : u * ratio + v;
    quotient.parts[0] = (is_flat ? x + y * ratio : x * ratio + y) / by;
    quotient.parts[1] = (is_flat ? y - x * ratio : y * ratio - x) / by;
  }
  return quotient.whole;
}

// part: any_OF
// One that isn't 0, if there is one.
static inline TYPE unravel_any_OF(TYPE a, TYPE b) { return a != 0 ? a : b; }

// part: reduce_sum_OF
#ifdef _OPENMP
#pragma omp declare reduction(unravel_sum_OF : TYPE : omp_out = omp_out + omp_in) initializer(omp_priv = 0)
#endif

// part: reduce_product_OF
#ifdef _OPENMP
#pragma omp declare reduction(unravel_product_OF : TYPE : omp_out = unravel_product_OF(omp_out, omp_in)) \
    initializer(omp_priv = 1)
#endif

// part: reduce_any_OF
#ifdef _OPENMP
#pragma omp declare reduction(unravel_any_OF : TYPE : omp_out = unravel_any_OF(omp_out, omp_in)) \
    initializer(omp_priv = 0)
#endif
