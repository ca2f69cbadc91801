#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace unravel::build {

/// True of what a kernel may call of BLAS (blas.h loads it).
inline bool is_blas_symbol(std::string_view name) {
  static constexpr std::string_view allowed[] = {"cblas_daxpy",
                                                 "cblas_ddot",
                                                 "cblas_dgemm",
                                                 "cblas_dgemv",
                                                 "cblas_dger",
                                                 "cblas_saxpy",
                                                 "cblas_sdot",
                                                 "cblas_sgemm",
                                                 "cblas_sgemv",
                                                 "cblas_sger",
                                                 "openblas_get_num_threads",
                                                 "openblas_set_num_threads"};
  static_assert(std::is_sorted(std::begin(allowed), std::end(allowed)));
  return std::binary_search(std::begin(allowed), std::end(allowed), name);
}

/// True of the functions from outside that a kernel may call: memory, sorting, mathematics, the run-time
/// support that compilers call by themselves, and BLAS; OpenMP's are others (`is_openmp_symbol`). A kernel
/// that names any other is refused, so that no text, whatever a layout's or an expression's author wrote,
/// reaches the rest of the process.
inline bool is_allowed_symbol(std::string_view name) {
  static constexpr std::string_view allowed[] = {
      "__divdc3", "__divsc3",  "__divti3",  "__floattidf", "__modti3",   "__muldc3",
      "__mulsc3", "__udivti3", "__umodti3", "abort",       "acos",       "acosf",
      "asin",     "asinf",     "atan",      "atan2",       "atan2f",     "atanf",
      "bcmp",     "bsearch",   "cabs",      "cabsf",       "calloc",     "cbrt",
      "cbrtf",    "ccos",      "ccosf",     "ceil",        "ceilf",      "cexp",
      "cexpf",    "cimag",     "cimagf",    "clog",        "clogf",      "conj",
      "conjf",    "copysign",  "copysignf", "cos",         "cosf",       "cosh",
      "coshf",    "creal",     "crealf",    "csin",        "csinf",      "csqrt",
      "csqrtf",   "ctan",      "ctanf",     "ctanh",       "ctanhf",     "erf",
      "erff",     "exp",       "exp2",      "exp2f",       "expf",       "expm1",
      "expm1f",   "fabs",      "fabsf",     "floor",       "floorf",     "fma",
      "fmaf",     "fmax",      "fmaxf",     "fmin",        "fminf",      "fmod",
      "fmodf",    "free",      "hypot",     "hypotf",      "ldexp",      "ldexpf",
      "log",      "log10",     "log10f",    "log1p",       "log1pf",     "log2",
      "log2f",    "logf",      "madvise",   "malloc",      "memchr",     "memcmp",
      "memcpy",   "memmove",   "memset",    "nearbyint",   "nearbyintf", "posix_memalign",
      "pow",      "powf",      "qsort",     "realloc",     "rint",       "rintf",
      "round",    "roundf",    "sin",       "sincos",      "sincosf",    "sinf",
      "sinh",     "sinhf",     "sqrt",      "sqrtf",       "strlen",     "tan",
      "tanf",     "tanh",      "tanhf",     "trunc",       "truncf"};
  static_assert(std::is_sorted(std::begin(allowed), std::end(allowed)));
  return std::binary_search(std::begin(allowed), std::end(allowed), name) || is_blas_symbol(name);
}

/// True of the functions of the OpenMP runtimes (LLVM's libomp, GNU's libgomp).
inline bool is_openmp_symbol(std::string_view name) {
  for (std::string_view prefix : {"__kmpc_", "omp_", "GOMP_"})
    if (name.starts_with(prefix)) return true;
  return false;
}

} // namespace unravel::build
