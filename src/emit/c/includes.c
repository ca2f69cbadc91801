// Headers. A part has the names of all that needs it.
// part: always
#include <stdint.h>
// part: bool
#ifndef __cplusplus
#include <stdbool.h>
#endif
// part: workspace assembled
#include <stdlib.h>
// part: complex
#ifndef __cplusplus
#include <complex.h>
#else // whose header of that name has other functions
#ifdef __clang__
#pragma clang diagnostic ignored "-Wc99-extensions"
#endif
extern "C" {
double creal(double _Complex), cimag(double _Complex), cabs(double _Complex);
float crealf(float _Complex), cimagf(float _Complex), cabsf(float _Complex);
double _Complex conj(double _Complex), csqrt(double _Complex), cexp(double _Complex), clog(double _Complex);
double _Complex csin(double _Complex), ccos(double _Complex), ctan(double _Complex), ctanh(double _Complex);
float _Complex conjf(float _Complex), csqrtf(float _Complex), cexpf(float _Complex), clogf(float _Complex);
float _Complex csinf(float _Complex), ccosf(float _Complex), ctanf(float _Complex), ctanhf(float _Complex);
}
#endif
// part: mathematics
#include <math.h>
// part: memset reserve table table_long sum_of_lanes parts stored is_stored equal_pairs equal_pairs_long rest sort_alone sort_alone_long marks
#include <string.h>
// part: cblas
#include <cblas.h>
// part: threads team
#ifdef _OPENMP
#include <omp.h>
#endif
// part: rest gathers
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__GNUC__)
#include <immintrin.h>
#define UNRAVEL_MASKS
#endif
