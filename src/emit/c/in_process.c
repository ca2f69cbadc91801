// What takes the place of headers in a text that includes nothing. A part has the names of all that needs it.
// part: always
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
// part: integers workspace bit long_bit set_bit clear_bit lowest_bit equal_pairs equal_pairs_long stored is_stored hash sort sort_alone sort_alone_long marks
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
// part: integers marks
typedef __UINT8_TYPE__ uint8_t;
// part: integers
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
#define INT8_MAX 127
#define INT8_MIN (-128)
#define INT16_MAX 32767
#define INT16_MIN (-32768)
#define INT32_MAX 2147483647
#define INT32_MIN (-INT32_MAX - 1)
#define INT64_MAX __INT64_MAX__
#define INT64_MIN (-INT64_MAX - 1)
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define UINT64_MAX __UINT64_MAX__
// part: bool
#define bool _Bool
// part: workspace grow memset sum_of_lanes parts reserve stored is_stored equal_pairs equal_pairs_long rest sort_alone sort_alone_long marks
typedef __SIZE_TYPE__ size_t;
// part: memset reserve marks table table_long
void *memset(void *, int, size_t);
// part: sum_of_lanes parts stored is_stored equal_pairs equal_pairs_long rest sort_alone sort_alone_long marks
void *memcpy(void *, const void *, size_t);
// part: complex
double creal(double _Complex), cimag(double _Complex), cabs(double _Complex);
float crealf(float _Complex), cimagf(float _Complex), cabsf(float _Complex);
double _Complex conj(double _Complex), csqrt(double _Complex), cexp(double _Complex), clog(double _Complex);
double _Complex csin(double _Complex), ccos(double _Complex), ctan(double _Complex), ctanh(double _Complex);
float _Complex conjf(float _Complex), csqrtf(float _Complex), cexpf(float _Complex), clogf(float _Complex);
float _Complex csinf(float _Complex), ccosf(float _Complex), ctanf(float _Complex), ctanhf(float _Complex);
// part: mathematics
double fabs(double), sqrt(double), exp(double), log(double), pow(double, double);
double sin(double), cos(double), tan(double), tanh(double), floor(double), ceil(double);
float fabsf(float), sqrtf(float), expf(float), logf(float), powf(float, float);
float sinf(float), cosf(float), tanf(float), tanhf(float), floorf(float), ceilf(float);
// part: workspace parts
void *calloc(size_t, size_t);
// part: workspace assembled
void free(void *);
// part: grow table table_long
void *realloc(void *, size_t);
// part: cblas
enum { CblasRowMajor = 101, CblasNoTrans = 111, CblasTrans = 112 };
#define OPENBLAS_VERSION
int openblas_get_num_threads(void);
void openblas_set_num_threads(int);
// part: cblas_ddot
double cblas_ddot(int, const double *, int, const double *, int);
// part: cblas_daxpy
void cblas_daxpy(int, double, const double *, int, double *, int);
// part: cblas_dger
void cblas_dger(int, int, int, double, const double *, int, const double *, int, double *, int);
// part: cblas_dgemv
void cblas_dgemv(int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
// part: cblas_dgemm
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
// part: cblas_sdot
float cblas_sdot(int, const float *, int, const float *, int);
// part: cblas_saxpy
void cblas_saxpy(int, float, const float *, int, float *, int);
// part: cblas_sger
void cblas_sger(int, int, int, float, const float *, int, const float *, int, float *, int);
// part: cblas_sgemv
void cblas_sgemv(int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
// part: cblas_sgemm
void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
// part: threads team
#ifdef _OPENMP
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
#endif
// part: rest gathers
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__has_builtin)
#if __has_builtin(__builtin_ia32_loadupd512_mask) && __has_builtin(__builtin_ia32_gathersiv8df)
#define UNRAVEL_MASKS
typedef unsigned char __mmask8;
typedef float __m256 __attribute__((vector_size(32)));
typedef double __m512d __attribute__((vector_size(64)));
typedef long long __m256i __attribute__((vector_size(32)));
typedef long long __m512i __attribute__((vector_size(64)));
typedef int32_t unravel_ints __attribute__((vector_size(32)));
#define _mm256_maskz_loadu_epi32(mask, from) \
  (__m256i)__builtin_ia32_loaddqusi256_mask((const void *)(from), (unravel_ints){0}, mask)
#define _mm512_maskz_loadu_epi64(mask, from) \
  (__m512i)__builtin_ia32_loaddqudi512_mask((const void *)(from), (__m512i){0}, mask)
#define _mm256_maskz_loadu_ps(mask, from) \
  __builtin_ia32_loadups256_mask((const void *)(from), (__m256){0}, mask)
#define _mm512_maskz_loadu_pd(mask, from) \
  __builtin_ia32_loadupd512_mask((const void *)(from), (__m512d){0}, mask)
#define _mm512_mask_storeu_pd(to, mask, from) __builtin_ia32_storeupd512_mask((double *)(to), from, mask)
#define _mm256_mmask_i32gather_ps(zero, mask, keys, from, size) \
  __builtin_ia32_gather3siv8sf(zero, from, (unravel_ints)(keys), mask, size)
#define _mm512_mask_i64gather_ps(zero, mask, keys, from, size) \
  __builtin_ia32_gatherdiv16sf(zero, from, keys, mask, size)
#define _mm512_mask_i32gather_pd(zero, mask, keys, from, size) \
  __builtin_ia32_gathersiv8df(zero, from, (unravel_ints)(keys), mask, size)
#define _mm512_mask_i64gather_pd(zero, mask, keys, from, size) \
  __builtin_ia32_gatherdiv8df(zero, from, keys, mask, size)
#endif
#endif
