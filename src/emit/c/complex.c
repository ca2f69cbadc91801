// What kernels call for complex values, as in functions.c, before which it stands: _F in a name stands for the type,
// `_complex128`, and so do these words; _END is the end of C's names for that precision.
#include "includes.c"
#pragma GCC diagnostic ignored "-Wunused-function"
#define VALUE double _Complex
#define REAL double
#define creal_END creal
#define cimag_END cimag

// part: product_F
// By the formula: C's own product handles infinities, which costs more than the product itself.
static inline VALUE unravel_product_F(VALUE a, VALUE b) {
  const REAL x = creal_END(a), y = cimag_END(a), u = creal_END(b), v = cimag_END(b);
  const union {
    REAL parts[2];
    VALUE whole;
  } product = {{x * u - y * v, x * v + y * u}};
  return product.whole;
}

// part: complex_F
static inline VALUE unravel_complex_F(REAL real, REAL imaginary) {
  const union {
    REAL parts[2];
    VALUE whole;
  } number = {{real, imaginary}};
  return number.whole;
}

// part: lanes_F
// Real and imaginary parts side by side, as many as 64 bytes hold.
#ifdef __GNUC__
typedef REAL unravel_lanes_F __attribute__((vector_size(64), aligned(sizeof(REAL)), may_alias));
#endif

// part: add_turned_F
// What is added is multiplied by i.
#ifdef __GNUC__
static inline void unravel_add_turned_F(unravel_lanes_F *sum, const unravel_lanes_F *added) {
  unravel_lanes_F turned = *added;
  for (unsigned k = 0; k < 64 / sizeof(REAL); k += 2) {
    turned[k] = -(*added)[k + 1];
    turned[k + 1] = (*added)[k];
  }
  *sum += turned;
}
#endif

// part: quotient_F
// Smith's formula: no square overflows.
static inline VALUE unravel_quotient_F(VALUE a, VALUE b) {
  const REAL x = creal_END(a), y = cimag_END(a), u = creal_END(b), v = cimag_END(b);
  union {
    REAL parts[2];
    VALUE whole;
  } quotient = {{x / u, y / u}};
  if (v != 0) {
    const int is_flat = (u < 0 ? -u : u) >= (v < 0 ? -v : v);
    const REAL ratio = is_flat ? v / u : u / v, by = is_flat ? u + v * ratio : u * ratio + v;
    quotient.parts[0] = (is_flat ? x + y * ratio : x * ratio + y) / by;
    quotient.parts[1] = (is_flat ? y - x * ratio : y * ratio - x) / by;
  }
  return quotient.whole;
}

// part: any_F
// One that isn't 0, if there is one.
static inline VALUE unravel_any_F(VALUE a, VALUE b) { return a != 0 ? a : b; }

// part: reduce_sum_F
#ifdef _OPENMP
#pragma omp declare reduction(unravel_sum_F : VALUE : omp_out = omp_out + omp_in) initializer(omp_priv = 0)
#endif

// part: reduce_product_F
#ifdef _OPENMP
#pragma omp declare reduction(unravel_product_F : VALUE : omp_out = unravel_product_F(omp_out, omp_in)) \
    initializer(omp_priv = 1)
#endif

// part: reduce_any_F
#ifdef _OPENMP
#pragma omp declare reduction(unravel_any_F : VALUE : omp_out = unravel_any_F(omp_out, omp_in)) \
    initializer(omp_priv = 0)
#endif
