// Headers. A part has the names of all that needs it.
// part: always
#include <stdint.h>
// part: bool
#ifndef __cplusplus
#include <stdbool.h>
#endif
// part: workspace assembled
#include <stdlib.h>
// part: mathematics
#include <math.h>
// part: memset reserve parts stored is_stored equal_pairs equal_pairs_long rest sort_alone sort_alone_long marks
#include <string.h>
// part: threads
#ifdef _OPENMP
#include <omp.h>
#endif
// part: rest gathers
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__GNUC__)
#include <immintrin.h>
#define UNRAVEL_MASKS
#endif
