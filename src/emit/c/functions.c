// Macros and functions that kernels call, in the order in which a file has them, then those of sorting.c and of
// assembly.c: each for which the kernel asks by the name of its part, behind a guard, since several kernels may stand
// in one file. _L in a name stands for `_long` or for nothing: keys of 64 or of 32 bits; _F for `_f` or for nothing:
// single or double precision. So do these words; they and the includes are here for compilers that read this file as
// it is.
//
// unravel_store_lanes writes whole lines of the cache, which aren't read first. Such stores come in order only with a
// fence; threads that end a parallel loop pass one anyway. The loops of unravel_equal_pairs are unrolled, so that no
// vector lies in memory. unravel_is_stored doesn't ask for bits != 0: clang 19 makes a test of the value's class of
// that, for which it has no vectors.
#include "includes.c"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#define KEY int32_t
#define VALUE double
#define GREATEST (double)(1.0 / 0.0)
#define LEAST (double)(-1.0 / 0.0)
#define INTEGER int64_t // of a value's size; the same without a sign:
#define BITS uint64_t
#define SIGN 63
#define PAIR_BYTES 16
#define LANE double
#define TO_LANE
#define VECTOR __m512d
#define LOAD_VALUES _mm512_maskz_loadu_pd
#define LOAD_KEYS _mm256_maskz_loadu_epi32
#define GATHER _mm512_mask_i32gather_pd
#define GATHER_WIDE _mm512_mask_i64gather_pd

// part: restrict
#ifndef UNRAVEL_RESTRICT
#ifdef __cplusplus
#define UNRAVEL_RESTRICT __restrict
#else
#define UNRAVEL_RESTRICT restrict
#endif
#endif

// part: in_order
// Where sums over iterations may be reassociated, the sums and quotients of a value still aren't.
#ifndef UNRAVEL_IN_ORDER
#if defined __clang__
#define UNRAVEL_IN_ORDER(...) __extension__({ _Pragma("clang fp reassociate(off)")(__VA_ARGS__); })
#elif defined __GNUC__ && __GNUC__ >= 12
#define UNRAVEL_IN_ORDER(...) __builtin_assoc_barrier(__VA_ARGS__)
#else
#define UNRAVEL_IN_ORDER(...) (__VA_ARGS__)
#endif
#endif

// part: prefetch
#ifndef UNRAVEL_PREFETCH
#ifdef __GNUC__
#define UNRAVEL_PREFETCH(place) __builtin_prefetch(place)
#else
#define UNRAVEL_PREFETCH(place) ((void)(place))
#endif
#endif

// part: floor_divide
// a / b rounded towards minus infinity; b > 0
#ifndef UNRAVEL_FLOOR_DIVIDE
#define UNRAVEL_FLOOR_DIVIDE
static inline int64_t unravel_floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }
#endif

// part: floor_modulo
// a - b * floor(a / b); b > 0
#ifndef UNRAVEL_FLOOR_MODULO
#define UNRAVEL_FLOOR_MODULO
static inline int64_t unravel_floor_modulo(int64_t a, int64_t b) { return a % b < 0 ? a % b + b : a % b; }
#endif

// part: minimum
static inline int64_t unravel_minimum(int64_t a, int64_t b) { return a < b ? a : b; }

// part: maximum
static inline int64_t unravel_maximum(int64_t a, int64_t b) { return a > b ? a : b; }

// part: hash
// A hash of several keys, one at a time; the first starts from 0.
static inline uint64_t unravel_hash_key(uint64_t state, int64_t key) {
  const uint64_t product = (state ^ (uint64_t)key) * (uint64_t)0x9E3779B97F4A7C15;
  return product ^ (product >> 32);
}
// The hash as a number in [0, n); n < 2^31
static inline int64_t unravel_hash_range(uint64_t state, int64_t n) {
  return (int64_t)(((state >> 32) * (uint64_t)n) >> 32);
}

// part: lanes
#ifdef __GNUC__
typedef double unravel_lanes __attribute__((vector_size(64), aligned(8), may_alias));
#endif

// part: stored_lanes
#ifdef __GNUC__
typedef double unravel_aligned_lanes __attribute__((vector_size(64), aligned(64), may_alias));
// past_caches: for a long result that isn't read again soon
static inline void unravel_store_lanes(double *to, const unravel_lanes *lanes, int past_caches) {
#ifdef __clang__
  if (past_caches && ((__UINTPTR_TYPE__)to & 63) == 0) {
    __builtin_nontemporal_store(*lanes, (unravel_aligned_lanes *)to);
    return;
  }
#endif
  (void)past_caches;
  *(unravel_lanes *)to = *lanes;
}
static inline void unravel_finish_lanes(int past_caches) {
  if (past_caches) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#endif

// part: sum_of_lanes
#ifdef __GNUC__
static inline double unravel_sum_of_lanes(const unravel_lanes *lanes) {
  typedef double half __attribute__((vector_size(32)));
  typedef double quarter __attribute__((vector_size(16)));
  half halves[2];
  quarter quarters[2];
  memcpy(halves, lanes, sizeof(halves));
  halves[0] += halves[1];
  memcpy(quarters, halves, sizeof(quarters));
  quarters[0] += quarters[1];
  return quarters[0][0] + quarters[0][1];
}
#endif

// part: uneven_L
// Do the lengths of neighbouring segments differ, in one of 8 of up to 64 pairs? If so, the end of a short loop over
// a segment is often mispredicted.
static inline int unravel_uneven_L(const KEY *pointers, int64_t segments) {
  const int64_t pairs = segments / 2 < 64 ? segments / 2 : 64;
  int64_t differ = 0;
  for (int64_t k = 0; k < pairs; k++) {
    const KEY *at = pointers + k * (segments / pairs);
    differ += at[1] - at[0] != at[2] - at[1];
  }
  return pairs > 0 && 8 * differ >= pairs;
}

#include "pairs.c"

// part: fours_F
#ifdef __GNUC__
typedef VALUE unravel_four_F __attribute__((vector_size(4 * sizeof(VALUE)), aligned(sizeof(VALUE)), may_alias));
typedef INTEGER unravel_four_mask_F __attribute__((vector_size(4 * sizeof(VALUE)), aligned(sizeof(VALUE)), may_alias));
// Masks for the first n of 8 elements: they begin at place 8 - n.
static const INTEGER unravel_first_of_8_F[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
#endif

// part: pick_used_L_F
#ifdef __GNUC__
// The elements at two keys, any one for a negative key.
static inline unravel_pair_F unravel_pick_used_L_F(const VALUE *from, const KEY *keys) {
  const unravel_pair_F pair = {from[keys[0] < 0 ? 0 : keys[0]], from[keys[1] < 0 ? 0 : keys[1]]};
  return pair;
}
#endif

// part: used_L_F
#ifdef __GNUC__
// The pair, 0 where its key is negative.
static inline unravel_pair_F unravel_used_L_F(unravel_pair_F pair, const KEY *keys) {
  const unravel_mask_F mask = {-(INTEGER)(keys[0] >= 0), -(INTEGER)(keys[1] >= 0)};
  return (unravel_pair_F)((unravel_mask_F)pair & mask);
}
#endif

// part: fast_gathers
// The machine that this was made for has fast gathers.
#ifndef UNRAVEL_GATHERS
#define UNRAVEL_GATHERS 1
#endif

// part: gathers
// Are the processor's gathers faster than plain loads? Those of Intel's processors are.
#ifndef UNRAVEL_GATHERS
#ifdef UNRAVEL_MASKS
#define UNRAVEL_GATHERS __builtin_cpu_is("intel")
#else
#define UNRAVEL_GATHERS 0
#endif
#endif

// part: rest
#ifdef UNRAVEL_MASKS
// Which of 8 places lie before the end, which is `count` places ahead; at least one does.
static inline __mmask8 unravel_rest(int64_t count) {
  return (__mmask8)((1u << (count < 8 ? count : 8)) - 1);
}
#endif

// part: lanes_sum
#ifdef UNRAVEL_MASKS
static inline double unravel_lanes_sum(__m512d lanes) {
  typedef double half __attribute__((vector_size(32)));
  typedef double quarter __attribute__((vector_size(16)));
  half halves[2];
  quarter quarters[2];
  memcpy(halves, &lanes, sizeof(halves));
  halves[0] += halves[1];
  memcpy(quarters, halves, sizeof(quarters));
  quarters[0] += quarters[1];
  return quarters[0][0] + quarters[0][1];
}
#endif

// part: lanes_sum_f
#ifdef UNRAVEL_MASKS
static inline float unravel_lanes_sum_f(__m256 lanes) {
  typedef float half __attribute__((vector_size(16)));
  half halves[2];
  memcpy(halves, &lanes, sizeof(halves));
  halves[0] += halves[1];
  return (halves[0][0] + halves[0][2]) + (halves[0][1] + halves[0][3]);
}
#endif

// part: stretch_F
#ifdef UNRAVEL_MASKS
// Neighbouring elements, 0 where the mask has no bit: these aren't read.
static inline VECTOR unravel_stretch_F(__mmask8 rest, const VALUE *from) {
  return LOAD_VALUES(rest, from);
}
#endif

// part: store_stretch
#ifdef UNRAVEL_MASKS
// To neighbouring elements, those of which the mask has a bit.
static inline void unravel_store_stretch(__mmask8 rest, double *to, __m512d from) {
  _mm512_mask_storeu_pd(to, rest, from);
}
#endif

// part: gather_L_F
#ifdef UNRAVEL_MASKS
// The elements at 8 keys, 0 where the mask has no bit: neither is read there.
static inline VECTOR unravel_gather_L_F(__mmask8 rest, const VALUE *from, const KEY *keys) {
  const VECTOR zero = {0};
  return GATHER(zero, rest, LOAD_KEYS(rest, keys), from, sizeof(VALUE));
}
#endif

// part: gather_L_at_F
#ifdef UNRAVEL_MASKS
// The elements at scale * key + base, for 8 keys, 0 where the mask has no bit: neither is read there.
static inline VECTOR unravel_gather_L_at_F(__mmask8 rest, const VALUE *from, const KEY *keys,
                                           int64_t scale, int64_t base) {
  typedef int64_t places __attribute__((vector_size(64)));
  typedef KEY short_places __attribute__((vector_size(8 * sizeof(KEY))));
  const VECTOR zero = {0};
  const places wide = __builtin_convertvector((short_places)LOAD_KEYS(rest, keys), places);
  return GATHER_WIDE(zero, rest, (__m512i)(wide * scale + base), from, sizeof(VALUE));
}
#endif

// part: bit
// The bit at a slot, 32 to a word; in 32 bits, so that compilers can read several at once.
static inline uint32_t unravel_bit(const uint32_t *bits, uint32_t slot) {
  return (bits[slot >> 5] >> (slot & 31)) & 1;
}

// part: long_bit
static inline uint32_t unravel_long_bit(const uint32_t *bits, int64_t slot) {
  return (bits[slot >> 5] >> (slot & 31)) & 1;
}

// part: set_bit
static inline void unravel_set_bit(uint32_t *bits, int64_t slot) {
  bits[slot >> 5] |= (uint32_t)1 << (slot & 31);
}

// part: clear_bit
static inline void unravel_clear_bit(uint32_t *bits, int64_t slot) {
  bits[slot >> 5] &= ~((uint32_t)1 << (slot & 31));
}

// part: lowest_bit
// The place of the lowest bit that is set; there must be one.
static inline int unravel_lowest_bit(uint64_t bits) {
#ifdef __GNUC__
  return __builtin_ctzll(bits);
#else
  int place = 0;
  while (!((bits >> place) & 1)) place++;
  return place;
#endif
}

// part: marks
// A set of numbers: a byte for each, 255 if it is a member; after these, from `blocks` on, a byte for each 64, 255 if
// one of them is a member, or was recently. So adding a member reads nothing, and 64 numbers are tested at once.
static inline int unravel_is_marked(const uint8_t *marks, int64_t slot) {
  return marks[slot] != 0;
}
static inline void unravel_mark(uint8_t *marks, int64_t blocks, int64_t slot) {
  marks[slot] = 255;
  marks[blocks + (slot >> 6)] = 255;
}
// Removes a number; all others of its block must be removed too.
static inline void unravel_unmark_each(uint8_t *marks, int64_t blocks, int64_t slot) {
  marks[slot] = 0;
  marks[blocks + (slot >> 6)] = 0;
}
// A bit for each of 64 bytes: is it 255?
static inline uint64_t unravel_marked(const uint8_t *marks) {
#if defined(__AVX512BW__) && defined(__GNUC__)
  typedef char unravel_bytes __attribute__((vector_size(64), aligned(1), may_alias));
  return (uint64_t)__builtin_ia32_cvtb2mask512(*(const unravel_bytes *)marks);
#elif defined(__SSE2__) && defined(__GNUC__)
  typedef char unravel_bytes __attribute__((vector_size(16), aligned(1), may_alias));
  const unravel_bytes *const parts = (const unravel_bytes *)marks;
  const uint64_t low = (uint32_t)__builtin_ia32_pmovmskb128(parts[0]) |
                       (uint32_t)__builtin_ia32_pmovmskb128(parts[1]) << 16;
  const uint64_t high = (uint32_t)__builtin_ia32_pmovmskb128(parts[2]) |
                        (uint32_t)__builtin_ia32_pmovmskb128(parts[3]) << 16;
  return low | high << 32;
#else
  uint64_t found = 0, eight;
  int k;
  for (k = 0; k < 64; k++) {
    if (k % 8 == 0) memcpy(&eight, marks + k, sizeof(eight));
    if (eight != 0) found |= (uint64_t)(marks[k] & 1) << k;
  }
  return found;
#endif
}

// part: unmark
static inline void unravel_unmark(uint8_t *marks, int64_t blocks, int64_t slot) {
  (void)blocks;
  marks[slot] = 0;
}

// part: unmark_all
// Removes all members.
static inline void unravel_unmark_all(uint8_t *marks, int64_t blocks) {
  int64_t slot;
  for (slot = 0; slot < blocks; slot += 64) {
    if (!marks[blocks + (slot >> 6)]) continue;
    memset(marks + slot, 0, 64);
    marks[blocks + (slot >> 6)] = 0;
  }
}

// part: equal_pairs_L
// Which of 8 keys are among 8 others, and which of those among these: a bit each. Both strictly increase,
// so the lowest bits belong together, then the next ones.
static inline void unravel_equal_pairs_L(const KEY *left, const KEY *right, uint32_t *left_hits,
                                          uint32_t *right_hits) {
  int k;
#ifdef __GNUC__
  typedef KEY keys __attribute__((vector_size(8 * sizeof(KEY))));
#ifdef __AVX512VL__
  typedef signed char bytes __attribute__((vector_size(8)));
  const uint64_t places = 0x8040201008040201, sum = 0x0101010101010101;
  bytes narrow_a, narrow_b;
  uint64_t bytes_a, bytes_b;
#else
  const keys places = {1, 2, 4, 8, 16, 32, 64, 128};
#endif
  keys a, b, in_a, in_b;
  memcpy(&a, left, sizeof(a));
  memcpy(&b, right, sizeof(b));
  in_a = a == right[0];
  in_b = b == left[0];
#pragma GCC unroll 8
  for (k = 1; k < 8; k++) {
    in_a |= a == right[k];
    in_b |= b == left[k];
  }
#ifdef __AVX512VL__
  // one instruction narrows keys to bytes
  narrow_a = __builtin_convertvector(in_a, bytes);
  narrow_b = __builtin_convertvector(in_b, bytes);
  memcpy(&bytes_a, &narrow_a, sizeof(bytes_a));
  memcpy(&bytes_b, &narrow_b, sizeof(bytes_b));
  *left_hits = (uint32_t)(((bytes_a & places) * sum) >> 56);
  *right_hits = (uint32_t)(((bytes_b & places) * sum) >> 56);
#else
  in_a = (in_a & places) | ((in_b & places) << 8);
  *left_hits = 0;
#pragma GCC unroll 8
  for (k = 0; k < 8; k++) *left_hits |= (uint32_t)in_a[k];
  *right_hits = *left_hits >> 8;
  *left_hits &= 255;
#endif
#else
  int i;
  *left_hits = *right_hits = 0;
  for (k = 0; k < 8; k++)
    for (i = 0; i < 8; i++) {
      *left_hits |= (uint32_t)(left[k] == right[i]) << k;
      *right_hits |= (uint32_t)(left[k] == right[i]) << i;
    }
#endif
}

#include "operators.c"

// part: stored_F
// A value to be stored where 0.0 means that nothing is stored: zero becomes -0.0.
// Done on the bits, since compilers may ignore the sign of a zero.
static inline VALUE unravel_stored_F(VALUE value) {
  BITS bits;
  memcpy(&bits, &value, sizeof(bits));
  bits |= (BITS)(bits == 0) << SIGN;
  memcpy(&value, &bits, sizeof(bits));
  return value;
}

// part: is_stored_F
// Is a value stored, which is anything but 0.0? -0.0 is a zero that is stored.
static inline int unravel_is_stored_F(VALUE value) {
  BITS bits;
  memcpy(&bits, &value, sizeof(bits));
  return (value != 0) | (int)(bits >> SIGN);
}

// part: atomically
// to = by(to, value), while other threads may do the same.
#ifndef UNRAVEL_ATOMICALLY
#ifndef _OPENMP
#define UNRAVEL_ATOMICALLY(type, by, to, value) (to) = by((to), (value))
#elif defined(__GNUC__)
#define UNRAVEL_ATOMICALLY(type, by, to, value)                                                          \
  do {                                                                                                    \
    const type unravel_value = (value);                                                                   \
    type *const unravel_to = &(to), unravel_old, unravel_new;                                             \
    __atomic_load(unravel_to, &unravel_old, __ATOMIC_RELAXED);                                            \
    do {                                                                                                  \
      unravel_new = by(unravel_old, unravel_value);                                                       \
      if (unravel_new == unravel_old) break;                                                              \
    } while (!__atomic_compare_exchange(unravel_to, &unravel_old, &unravel_new, 1, __ATOMIC_RELAXED,      \
                                        __ATOMIC_RELAXED));                                               \
  } while (0)
#else
#define UNRAVEL_ATOMICALLY(type, by, to, value) \
  do {                                          \
    const type unravel_value = (value);         \
    _Pragma("omp critical(unravel)")            \
    (to) = by((to), unravel_value);             \
  } while (0)
#endif
#endif

// part: large_pages
// Asks Linux for large pages where memory is long: far fewer faults as it is first written, and fewer misses of
// their addresses later. Declared under a name of its own, so that no header's macros come in.
static inline void unravel_in_large_pages(void *memory, size_t bytes) {
#if defined(__linux__) && defined(__GNUC__)
  extern int unravel_madvise(void *, size_t, int) __asm__("madvise");
  const size_t skipped = (4096 - (size_t)memory % 4096) % 4096; // to where a page begins
  const int in_large_pages = 14; // MADV_HUGEPAGE
  if (memory && bytes >= 4194304) (void)unravel_madvise((char *)memory + skipped, bytes - skipped, in_large_pages);
#else
  (void)memory, (void)bytes;
#endif
}

// part: reserve
// Frees what unravel_reserve has returned.
static inline void unravel_unreserve(void *memory) {
  if (memory) free(((void **)memory)[-1]);
}
// Allocates `count` elements from a line of the cache on, every byte set to `fill`; the old contents are lost.
// Vectors that lie in two lines take twice the time. Returns null if memory runs out.
static inline void *unravel_reserve(void *old, int64_t *capacity, int64_t count, size_t size, int fill) {
  const size_t line = 64, most = ((size_t)-1 / 2 - line) / size;
  char *memory = 0;
  unravel_unreserve(old);
  if (count >= 0 && (size_t)count <= most) memory = (char *)calloc((size_t)count * size + line, 1);
  *capacity = memory ? count : 0;
  if (memory) {
    void *const all = memory;
    memory += line - (size_t)memory % line;
    ((void **)(void *)memory)[-1] = all;
    unravel_in_large_pages(memory, (size_t)count * size);
    if (fill) memset(memory, fill, (size_t)count * size);
  }
  return memory;
}

// part: stops
// Threads that run out of memory tell the others.
static inline int unravel_has_stopped(const int *stopped) {
  int answer;
#ifdef _OPENMP
#pragma omp atomic read
#endif
  answer = *stopped;
  return answer;
}
static inline void unravel_stop(int *stopped) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
  *stopped = 1;
}

// part: thread
// This thread in its team.
static inline int64_t unravel_thread(void) {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

// part: threads
// How many threads a team may have.
static inline int unravel_threads(void) {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

// part: team
// How many threads a team has: so many, or, of 0, as many as OpenMP gives.
#ifdef __GNUC__
__attribute__((unused)) // without OpenMP
#endif
static inline int unravel_team(int64_t wanted) {
#ifdef _OPENMP
  return wanted > 0 ? (int)wanted : omp_get_max_threads();
#else
  (void)wanted;
  return 1;
#endif
}

// part: share_out
// In how many parts `total` is shared out: at most one for each thread, with `each` or more, but one at least.
static inline int64_t unravel_share_out(int64_t total, int64_t each, int64_t threads) {
  const int64_t parts = total / each < threads ? total / each : threads;
  return parts > 1 ? parts : 1;
}

// part: blas_threads
// BLAS has so many threads from now on; returns how many it had. Only OpenBLAS is told.
static inline int unravel_blas_threads(int threads) {
#ifdef OPENBLAS_VERSION
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(threads);
  return before;
#else
  return threads;
#endif
}
