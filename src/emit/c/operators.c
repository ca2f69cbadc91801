// Operators on values, a part of functions.c and of integers.c, which say what the words mean.
#ifndef VALUE
#include "includes.c"
#pragma GCC diagnostic ignored "-Wunused-function"
#define VALUE double
#define GREATEST (double)(1.0 / 0.0)
#define LEAST (double)(-1.0 / 0.0)
#endif

// part: min_F
static inline VALUE unravel_min_F(VALUE a, VALUE b) { return b < a ? b : a; }

// part: max_F
static inline VALUE unravel_max_F(VALUE a, VALUE b) { return b > a ? b : a; }

// part: and_F
static inline VALUE unravel_and_F(VALUE a, VALUE b) { return (a != 0) & (b != 0); }

// part: or_F
static inline VALUE unravel_or_F(VALUE a, VALUE b) { return (a != 0) | (b != 0); }

// part: xor_F
static inline VALUE unravel_xor_F(VALUE a, VALUE b) { return (a != 0) ^ (b != 0); }

// part: any_F
// One that isn't 0, if there is one.
static inline VALUE unravel_any_F(VALUE a, VALUE b) { return a != 0 ? a : b; }

// part: not_F
static inline VALUE unravel_not_F(VALUE a) { return a == 0; }

// part: reduce_min_F
#ifdef _OPENMP
#pragma omp declare reduction(unravel_min_F : VALUE : omp_out = unravel_min_F(omp_out, omp_in)) \
    initializer(omp_priv = GREATEST)
#endif

// part: reduce_max_F
#ifdef _OPENMP
#pragma omp declare reduction(unravel_max_F : VALUE : omp_out = unravel_max_F(omp_out, omp_in)) \
    initializer(omp_priv = LEAST)
#endif

// part: reduce_and_F
#ifdef _OPENMP
#pragma omp declare reduction(unravel_and_F : VALUE : omp_out = unravel_and_F(omp_out, omp_in)) \
    initializer(omp_priv = 1)
#endif

// part: reduce_or_F
#ifdef _OPENMP
#pragma omp declare reduction(unravel_or_F : VALUE : omp_out = unravel_or_F(omp_out, omp_in)) \
    initializer(omp_priv = 0)
#endif

// part: reduce_xor_F
#ifdef _OPENMP
#pragma omp declare reduction(unravel_xor_F : VALUE : omp_out = unravel_xor_F(omp_out, omp_in)) \
    initializer(omp_priv = 0)
#endif

// part: reduce_any_F
#ifdef _OPENMP
#pragma omp declare reduction(unravel_any_F : VALUE : omp_out = unravel_any_F(omp_out, omp_in)) \
    initializer(omp_priv = 0)
#endif

